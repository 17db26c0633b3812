using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Options;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Cli.Shell;

namespace Spate.CliTests.Iperf.Iperf2.Options;

/// <summary>The command line as iperf 2 reads it, and what is refused with a word.</summary>
public sealed class Iperf2ArgumentsTests
{
    [Fact]
    public void Client_Defaults_AreThoseOfIperf()
    {
        Iperf2ClientOptions options = Client("-uc127.0.0.1");

        Assert.Equal(UdpEndPoint.Loopback(5001), options.Server);
        Assert.Equal((1470, 1), (options.Size, options.FlowCount));
        Assert.Equal((TimeSpan.FromSeconds(10), TimeSpan.Zero), (options.Duration, options.Interval));
        Assert.Null(options.DatagramsPerSecond);
        Assert.Equal(1450, Client("-u", "-c", "::1", "-V").Size);
    }

    [Theory]
    [InlineData("1000pps", 1000)]
    [InlineData("10kpps", 10_000)]
    [InlineData("10m", 10e6 / 8 / 1000)]
    [InlineData("10M", 10 * 1048576 / 8 / 1000.0)]
    [InlineData("0", double.PositiveInfinity)]
    public void Client_Rate_IsReadAsIperfReadsIt(string text, double datagramsPerSecond) => Assert.Equal(
        datagramsPerSecond, Client("-u", "-c", "127.0.0.1", "-l", "1000", "-b", text).DatagramsPerSecond!.Value, 1e-6);

    [Fact]
    public void Client_EveryOption_IsTaken()
    {
        Iperf2ClientOptions options = Client(
            "-u", "-c", "127.0.0.1", "-p5002", "-n", "100K", "-t", "2", "-i0.5", "-P", "4", "-w", "64K", "-S", "0x20",
            "-T9", "-B", "127.0.0.1", "--len=100");

        Assert.Equal(5002, options.Server.Port);
        Assert.Equal((102_400L, 4, 100), (options.ByteCount, options.FlowCount, options.SizeBytes));
        Assert.Equal((0x20, 65_536), (options.Transport.TrafficClass, options.Transport.BufferBytes));
        Assert.Equal(9, options.TimeToLive);
        Assert.Equal(UdpEndPoint.Loopback(0), options.Local);
        Assert.Equal(TimeSpan.FromSeconds(0.5), options.Interval);
    }

    [Fact]
    public void Server_IPv6_ListensAtAllAddresses()
    {
        Assert.Equal(UdpEndPoint.Any(5001), Iperf2Arguments.ServerOf(Read("-s", "-u")).Local);
        Assert.Equal(UdpEndPoint.IPv6Any(5002), Iperf2Arguments.ServerOf(Read("-suV", "-p", "5002")).Local);
    }

    [Fact]
    public void Reverse_OfBothRoles_IsTaken()
    {
        Assert.True(Client("-uc127.0.0.1") is { Reverse: Iperf2Reverse.None, ListenPort: null });
        Assert.True(Client("-uc127.0.0.1", "-dL5002") is { Reverse: Iperf2Reverse.Together, ListenPort: 5002 });
        Assert.True(Client("-uc127.0.0.1", "--tradeoff") is { Reverse: Iperf2Reverse.After, ListenPort: null });
        Assert.True(Iperf2Arguments.ServerOf(Read("-su")) is { AllowReverse: false });
        Assert.True(Iperf2Arguments.ServerOf(Read("-su", "--allow-reverse", "--reverse-limit", "2m"))
            is { AllowReverse: true, MaxReverseBitsPerSecond: 2_000_000 });
    }

    [Theory]
    [InlineData("add -u", "-c", "127.0.0.1")]
    [InlineData("role is missing", "-u")]
    [InlineData("exclude", "-u", "-s", "-c", "127.0.0.1")]
    [InlineData("-R is not supported", "-u", "-c", "127.0.0.1", "-R")]
    [InlineData("--full-duplex is not supported", "-u", "-c", "127.0.0.1", "--full-duplex")]
    [InlineData("--isochronous is not supported", "-u", "-c", "127.0.0.1", "--isochronous=60:1m,0")]
    [InlineData("--trip-times is not supported", "-u", "-c", "127.0.0.1", "--trip-times")]
    [InlineData("--bounceback is not supported", "-u", "-c", "127.0.0.1", "--bounceback")]
    [InlineData("--allow-reverse is for the server", "-u", "-c", "127.0.0.1", "--allow-reverse")]
    [InlineData("--reverse-limit needs", "-u", "-s", "--reverse-limit", "1m")]
    [InlineData("expected", "-u", "-s", "--allow-reverse", "--reverse-limit", "0")]
    [InlineData("-d is for the client", "-u", "-s", "-d")]
    [InlineData("-d and -r exclude", "-u", "-c", "127.0.0.1", "-d", "-r")]
    [InlineData("-L is the port on which", "-u", "-c", "127.0.0.1", "-L", "5002")]
    [InlineData("expected", "-u", "-c", "127.0.0.1", "-r", "-L", "0")]
    [InlineData("76 bytes", "-u", "-c", "127.0.0.1", "-r", "-l", "75")]
    [InlineData("-y is not supported", "-u", "-c", "127.0.0.1", "-y", "C")]
    [InlineData("multicast", "-u", "-c", "239.1.1.1")]
    [InlineData("multicast", "-u", "-s", "-B", "239.1.1.1")]
    [InlineData("is for the client", "-u", "-s", "-b", "1m")]
    [InlineData("is for the server", "-u", "-c", "127.0.0.1", "--max-flows", "3")]
    [InlineData("expected", "-u", "-c", "127.0.0.1", "-b", "fast")]
    [InlineData("expected", "-u", "-c", "127.0.0.1", "-b", "10m,1m")]
    [InlineData("expected", "-u", "-c", "127.0.0.1", "-l", "11")]
    [InlineData("expected", "-u", "-c", "127.0.0.1", "-P", "129")]
    [InlineData("expected", "-u", "-c", "127.0.0.1", "-n", "-1")]
    [InlineData("unexpected argument", "-u", "-s", "here")]
    public void Line_NotSpoken_IsRefusedInOneLine(string said, params string[] arguments)
    {
        CommandException fault = Assert.Throws<CommandException>(() =>
        {
            Iperf2Options draft = Read(arguments);
            _ = draft.IsServer ? (object)Iperf2Arguments.ServerOf(draft) : Iperf2Arguments.ClientOf(draft);
        });

        Assert.Contains(said, fault.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', fault.Message);
        Assert.Equal(ExitCode.WrongUse, fault.ExitCode);
    }

    [Fact]
    public void Line_OptionsWithoutEffect_AreSaidToHaveNone() =>
        Assert.Equal(3, Read("-u", "-s", "-e", "-U", "-l", "2000").Notices.Count);

    private static Iperf2Options Read(params string[] arguments) =>
        Iperf2Arguments.Read(Iperf2OptionTable.All.Parse(arguments));

    private static Iperf2ClientOptions Client(params string[] arguments) => Iperf2Arguments.ClientOf(Read(arguments));
}
