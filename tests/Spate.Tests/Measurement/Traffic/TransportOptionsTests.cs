using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

public sealed class TransportOptionsTests
{
    [Fact]
    public void ToSocketOptions_NoBuffer_ReceivesWithMoreThanItSendsOnLinux()
    {
        UdpSocketOptions options = new TransportOptions().ToSocketOptions();

        int receiveBytes = OperatingSystem.IsLinux() ? 32 << 20 : UdpSocketOptions.DefaultBufferBytes;
        Assert.Equal(
            (receiveBytes, UdpSocketOptions.DefaultBufferBytes), (options.ReceiveBufferBytes, options.SendBufferBytes));
    }

    [Fact]
    public void ToSocketOptions_Buffer_IsThatOfBothDirections()
    {
        UdpSocketOptions options = new TransportOptions { BufferBytes = 65_536 }.ToSocketOptions();

        Assert.Equal((65_536, 65_536), (options.ReceiveBufferBytes, options.SendBufferBytes));
    }
}
