using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Cli.Iperf.Iperf3.Flows;

/// <summary>What would help, in the options of iperf3.</summary>
public sealed class RemedyTextTests
{
    [Theory]
    [InlineData("--rate 1000", 1, "-b 8000000")]
    [InlineData("--rate 1000", 4, "-b 2000000")]
    [InlineData("--rate 1", 128, "-b 62")]
    [InlineData("--size mtu", 1, "a smaller -l, such as -l 1400")]
    [InlineData("--size 1472", 1, "-l 1472")]
    [InlineData("--remote-buffer 4M", 1, "-w 4M")]
    [InlineData("ip -s -s link", 1, "ip -s -s link")]
    public void InOptionsOfIperf3_RemedyOfATest_NamesTheOption(string remedy, int streams, string expected)
    {
        var account = new TestDirectionReport { Verdict = $"lost there: {remedy}", Remedy = remedy };
        var parameters = new Iperf3Parameters { LengthBytes = 1000, StreamCount = streams };

        TestDirectionReport translated = RemedyText.InOptionsOfIperf3(account, parameters, isExact: true);

        Assert.Equal((expected, $"lost there: {expected}"), (translated.Remedy, translated.Verdict));
    }
}
