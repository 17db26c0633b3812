using System.CommandLine;
using Spate.Cli.Send;
using Spate.Cli.Traffic;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Pacing;

namespace Spate.CliTests.Send;

public sealed class SendOptionSetTests
{
    [Fact]
    public void Read_LocalTarget_IsUnlimitedWithoutNotice()
    {
        SendOptions settings = Read("localhost");

        Assert.Equal(double.PositiveInfinity, settings.Sender.DatagramsPerSecond);
        Assert.Empty(settings.Notices);
        Assert.Equal(1380, settings.Sender.SizeBytes);
        Assert.Equal(TimeSpan.FromSeconds(10), settings.Traffic.Duration);
    }

    [Fact]
    public void Read_ForeignTarget_IsPoliteAndSaysSo()
    {
        SendOptions settings = Read("127.0.0.1", "203.0.113.9", "--size", "64");

        Assert.Equal(1000, settings.Sender.DatagramsPerSecond);
        Assert.Contains(settings.Notices, static notice => notice.Contains("--rate max", StringComparison.Ordinal));
    }

    [Fact]
    public void Read_ForeignTargetWithRateMax_IsUnlimited()
    {
        SendOptions settings = Read("203.0.113.9", "--size", "64", "--rate", "max");

        Assert.Equal(double.PositiveInfinity, settings.Sender.DatagramsPerSecond);
        Assert.Empty(settings.Notices);
    }

    [Fact]
    public void Read_CountAlone_HasNoTimeLimit()
    {
        SendOptions settings = Read("localhost", "--count", "1000");

        Assert.Equal(1000, settings.Traffic.DatagramCount);
        Assert.Null(settings.Traffic.Duration);
    }

    [Theory]
    [InlineData("10k", 10_000)]
    [InlineData("5m", 5_000_000)]
    [InlineData("2G", 2_000_000_000)]
    public void Read_CountWithAUnit_IsRead(string text, long expected) =>
        Assert.Equal(expected, Read("localhost", "--count", text).Traffic.DatagramCount);

    [Fact]
    public void Read_SizeBeyondThePath_NamesTheSizeThatFits()
    {
        Assert.SkipUnless(PathMtu.TryFind(new(System.Net.IPAddress.IPv6Loopback, 9), out int mtuBytes)
            && mtuBytes < 65535 + 40, "an IPv6 loopback is needed");
        int fittingBytes = mtuBytes - 48;

        SendOptions settings = Read("::1", "--size", "65527");

        string notice = Assert.Single(settings.Notices);
        Assert.Contains($"--size {fittingBytes}", notice, StringComparison.Ordinal);
        Assert.Equal(65527, settings.Sender.SizeBytes);
        Assert.Equal(fittingBytes, Read("::1", "--size", "mtu").Sender.SizeBytes);
    }

    [Fact]
    public void Read_EveryOption_IsTaken()
    {
        SendOptions settings = Read(
            "127.0.0.1:1", "[::1]:2", "--size", "1k", "--rate", "200k", "--count", "5", "--seconds", "2.5", "--flows",
            "3",
            "--interval", "0", "--pace", "spin", "--buffer", "8M", "--backend", "portable", "--no-gso", "--json",
            "x.json");

        Assert.Equal(2, settings.Targets.Count);
        Assert.Equal(1024, settings.Sender.SizeBytes);
        Assert.Equal(200_000, settings.Sender.DatagramsPerSecond);
        Assert.Equal(PaceMode.Spin, settings.Sender.Pace);
        Assert.Equal((5, TimeSpan.FromSeconds(2.5)), (settings.Traffic.DatagramCount, settings.Traffic.Duration));
        Assert.Equal((3, TimeSpan.Zero), (settings.Traffic.FlowCount, settings.Traffic.Interval));
        Assert.Equal(8 << 20, settings.Traffic.Transport.BufferBytes);
        Assert.Equal(UdpBackend.Portable, settings.Traffic.Transport.Backend);
        Assert.False(settings.Traffic.Transport.SegmentedSend);
        Assert.Equal("x.json", settings.Traffic.Report.JsonPath);
    }

    private static SendOptions Read(params string[] arguments)
    {
        var command = new Command("send");
        var options = new SendOptionSet();
        options.AddTo(command);
        ParseResult parsed = command.Parse(arguments);
        Assert.Empty(parsed.Errors);
        return options.Read(parsed);
    }
}
