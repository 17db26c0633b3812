using Spate.Cli.Bench.Designs;

namespace Spate.Tests.Cli.Bench.Designs;

public sealed class DatagramNumberTests
{
    [Theory]
    [InlineData(8)]
    [InlineData(24)]
    [InlineData(1024)]
    public void DatagramNumber_AnySize_IsReadBack(int sizeBytes)
    {
        var payload = new byte[sizeBytes];
        DatagramNumber.Write(payload, streamId: 3, number: 77);

        Assert.True(DatagramNumber.TryRead(payload, out long number));
        Assert.Equal(77, number);
        Assert.Equal(sizeBytes < 24, DatagramNumber.TryRead(new byte[sizeBytes], out _));
        Assert.False(DatagramNumber.TryRead(new byte[7], out _));
    }
}
