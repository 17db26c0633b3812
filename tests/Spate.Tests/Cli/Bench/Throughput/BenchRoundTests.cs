using Spate.Cli.Bench;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Tests.Cli.Bench.Throughput;

public sealed class BenchRoundTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromMilliseconds(30);

    private readonly BenchRound _round = new(new CpuPlacement(null, null, ""), 1000);

    [Fact]
    public void Run_OneOfFourLost_CountsSentReceivedAndLost()
    {
        RoundMeasurement round = _round.Run(new FakeTarget("fake", loseOneOf: 4), 100, Duration);

        Assert.True(round.Sent > 0);
        Assert.Equal(round.Sent * 3 / 4, round.Received);
        Assert.Equal(round.Received, round.ReceivedWhileSending);
        Assert.Equal(round.Received * 100, round.ReceivedBytes);
        Assert.Equal(25, round.LostPercent, 9);
        Assert.Equal(75, round.DatagramsPerCall);
        Assert.Equal(1000, round.BufferGrantedBytes);
        Assert.True(round.Sending >= Duration);
    }

    [Fact]
    public void Run_NothingArrives_SaysSo()
    {
        var fault = Assert.Throws<BenchException>(
            () => _round.Run(new FakeTarget("fake") { NothingArrives = true }, 100, Duration));
        Assert.Contains("no datagram", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_SenderFails_SaysTheFault()
    {
        var fault = Assert.Throws<BenchException>(
            () => _round.Run(new FakeTarget("fake") { SenderFails = true }, 100, Duration));
        Assert.Equal("the sender's fault", fault.Message);
    }

    [Fact]
    public void MedianOfKnown_UnknownValues_AreLeftOut()
    {
        Assert.Null(Statistics.MedianOfKnown(new double?[] { null, null }));
        Assert.Equal(5, Statistics.MedianOfKnown(new double?[] { null, 5 }));
    }

    [Fact]
    public void OneLine_ControlCharacters_AreReplacedAndLengthBounded()
    {
        Assert.Equal("a b [2J", PrintableText.OneLine(" a\nb\u001b[2J ").Replace("  ", " ", StringComparison.Ordinal));
        Assert.Equal(303, PrintableText.OneLine(new string('x', 5000)).Length);
    }
}
