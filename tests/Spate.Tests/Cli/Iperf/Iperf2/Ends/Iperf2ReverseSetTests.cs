using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Tests.Cli.Iperf.Iperf2.Ends;

/// <summary>What becomes of what a client asks for, honest or not.</summary>
public sealed class Iperf2ReverseSetTests
{
    private static readonly IperfStream Flow = new(1, UdpEndPoint.Loopback(5001), UdpEndPoint.Parse("10.1.2.3:999"));

    [Theory]
    [InlineData(0, 1470)]
    [InlineData(1, 16)]
    [InlineData(int.MinValue, 16)]
    [InlineData(500, 500)]
    [InlineData(65_508, 65_507)]
    [InlineData(int.MaxValue, 65_507)]
    public void ToClient_AnySize_IsOneThatCanBeSent(int asked, int expected) =>
        Assert.Equal(expected, Clamp(new Iperf2Settings { SizeBytes = asked }).SizeBytes);

    [Theory]
    [InlineData(1, 16)]
    [InlineData(10_000, 125)]
    [InlineData(20_000_000, 65_507)]
    public void ToClient_LowLimit_SendsNoDatagramThatPassesIt(long limit, int expected) =>
        Assert.Equal(expected, Iperf2ReverseSet.ToClient(
            Flow,
            new Iperf2Settings { SizeBytes = 65_507 },
            new Iperf2ServerOptions { MaxReverseBitsPerSecond = limit }).SizeBytes);

    [Theory]
    [InlineData(0, 1_048_576)]
    [InlineData(1, 1)]
    [InlineData(20_000_000, 20_000_000)]
    [InlineData(20_000_001, 20_000_000)]
    [InlineData((1L << 56) - 1, 20_000_000)]
    public void ToClient_AnyRate_IsWithinTheLimit(long asked, double expected)
    {
        Iperf2ClientOptions options = Clamp(new Iperf2Settings { BitsPerSecond = asked });

        Assert.Equal(expected, options.DatagramsPerSecond!.Value * 8 * 1470, 1e-6);
    }

    [Theory]
    [InlineData(int.MinValue, 20_000_000)]
    [InlineData(2, 10_000_000)]
    [InlineData(int.MaxValue, 5_000_000)]
    public void ToClient_AnyFlowCount_SharesTheLimit(int asked, double expected)
    {
        Iperf2ClientOptions options = Clamp(new Iperf2Settings { FlowCount = asked, BitsPerSecond = 30_000_000 });

        Assert.Equal(expected, options.DatagramsPerSecond!.Value * 8 * 1470, 1e-6);
    }

    [Theory]
    [InlineData(-50, 0.5, null)]
    [InlineData(-6001, 60.0, null)]
    [InlineData(int.MinValue, 60.0, null)]
    [InlineData(0, 60.0, 1L)]
    [InlineData(int.MaxValue, 60.0, (long)int.MaxValue)]
    public void ToClient_AnyAmount_HasAnEnd(int asked, double seconds, long? bytes)
    {
        Iperf2ClientOptions options = Clamp(new Iperf2Settings { Amount = asked });

        Assert.Equal((seconds, bytes), (options.Duration.TotalSeconds, options.ByteCount));
    }

    [Theory]
    [InlineData(0, 5001)]
    [InlineData(1, 1)]
    [InlineData(65_535, 65_535)]
    public void ToClient_AnyPort_IsOfTheAddressThatAsked(int asked, int expected)
    {
        Iperf2ClientOptions options = Clamp(new Iperf2Settings { Port = asked, FlowCount = 100 });

        Assert.Equal((Flow.Remote.WithPort(expected), 1), (options.Server, options.FlowCount));
        Assert.Equal(UdpEndPoint.Loopback(0), options.Local);
    }

    private static Iperf2ClientOptions Clamp(Iperf2Settings asked) => Iperf2ReverseSet.ToClient(
        Flow, asked, new Iperf2ServerOptions { MaxReverseBitsPerSecond = 20_000_000 });
}
