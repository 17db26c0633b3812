using Spate.Cli.Shell.Output;
using Spate.Cli.Traffic;
using Spate.Measurement.Traffic;

namespace Spate.CliTests.Traffic;

public sealed class BufferNoticeTests
{
    [Theory]
    [InlineData(null, 106_496, "104 KiB of the requested 32 MiB: as root, sysctl -w net.core.rmem_max=33554432 ")]
    [InlineData(null, 4 << 20, "")] // The library asks for no more, and most rates need none.
    [InlineData(16 << 20, 4 << 20, "4 MiB of the requested 16 MiB: as root, sysctl -w net.core.rmem_max=16777216 ")]
    [InlineData(16 << 20, 16 << 20, "")]
    public void TellBuffer_Receiver_NamesTheLimitWhereItMatters(int? bufferBytes, int grantedBytes, string expected)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the default of a receiver is larger on Linux only");
        var errors = new StringWriter();
        var streams = new Streams { Output = TextWriter.Null, Error = errors };

        TrafficSetup.TellBuffer(
            new TransportOptions { BufferBytes = bufferBytes }, grantedBytes, isReceiver: true, streams);

        string notice = errors.ToString();
        Assert.Equal(expected.Length > 0, notice.Length > 0);
        Assert.Contains(expected, notice, StringComparison.Ordinal);
    }

    [Fact]
    public void TellBuffer_SenderWithLess_NamesTheLimitOfSenders()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "other systems have no sysctl");
        var errors = new StringWriter();
        var streams = new Streams { Output = TextWriter.Null, Error = errors };

        TrafficSetup.TellBuffer(new TransportOptions(), 106_496, isReceiver: false, streams);

        Assert.Contains("the requested 4 MiB: as root, sysctl -w net.core.wmem_max=4194304 ", errors.ToString(),
            StringComparison.Ordinal);
    }

    [Fact]
    public void BufferText_OtherSystem_NamesNoSysctl() => Assert.Equal(
        "the system granted 104 KiB of the requested 4 MiB",
        TrafficSetup.BufferText(4 << 20, 106_496, "net.core.wmem_max", isLinux: false));
}
