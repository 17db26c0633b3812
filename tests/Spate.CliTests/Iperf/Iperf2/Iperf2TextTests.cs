using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf2;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Measurement.Counting;

namespace Spate.CliTests.Iperf.Iperf2;

/// <summary>Lines that read as those of iperf 2.1.8, and our own behind them.</summary>
public sealed class Iperf2TextTests
{
    private static readonly IperfStream Stream = new(1, UdpEndPoint.Loopback(5001), UdpEndPoint.Loopback(40_613));

    private readonly List<string> _lines = [];

    [Fact]
    public void Start_Flow_ReadsAsIperf()
    {
        Text().Tell(new IperfTest { Streams = [Stream] });

        Assert.Equal(["[  1] local 127.0.0.1 port 5001 connected with 127.0.0.1 port 40613"], _lines);
    }

    [Fact]
    public void Start_FlowThatIsSentBack_SaysSo()
    {
        Text().Tell(new IperfTest { Streams = [Stream with { IsReverse = true }] });

        Assert.Equal(["[  1] local 127.0.0.1 port 5001 connected with 127.0.0.1 port 40613 (reverse)"], _lines);
    }

    [Fact]
    public void Report_SentAndReceived_HasTheLongerHeaderOnce()
    {
        Iperf2Text text = Text();
        foreach (bool sends in (bool[])[true, false, true, false]) text.Tell(Interval(sends));

        Assert.Equal(
            [
                "[ ID] Interval       Transfer     Bandwidth",
                "[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams",
            ],
            _lines.FindAll(static line => line.StartsWith("[ ID]", StringComparison.Ordinal)));
    }

    [Fact]
    public void Finish_ReceivedWithLoss_HasBothFigures()
    {
        Text().Tell(new Iperf2Received
        {
            Stream = Stream,
            Seconds = 2.2351,
            End = Iperf2End.Finished,
            IsAnswered = true,
            Counts = new IperfCounts(30_870, Lost: 1, Total: 206, OutOfOrder: 2, 0.000_029),
            Exact = new SequenceCounts { Received = 204, Unique = 203, Duplicated = 1, Reordered = 1 },
            ExactBytes = 300_000,
            Lost = 2,
            LostBeforeFirst = 1,
            SocketDrops = 2,
        });

        Assert.Equal(
            [
                "[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams",
                "[  1] 0.0000-2.2351 sec  30.1 KBytes   110 Kbits/sec   0.029 ms 1/206 (0.49%)",
                "[  1] 0.0000-2.2351 sec  2 datagrams received out-of-order",
                "[  1] Spate: 203 of 205 datagrams arrived, 2 lost (1 before the first arrival), 1 duplicated, "
                    + "1 reordered",
                "[  1] Spate: receive buffer full: 2 drops meanwhile, all flows together: see spate doctor",
            ],
            _lines);
    }

    [Fact]
    public void Finish_SentWithoutAnswer_SaysSo()
    {
        var sent = new Iperf2Sent { Stream = Stream, Seconds = 1, Datagrams = 89, Bytes = 130_830, EndTries = 10 };

        Text().Tell(new Iperf2SendReport([sent]));

        Assert.Equal(
            [
                "[ ID] Interval       Transfer     Bandwidth",
                "[  1] 0.0000-1.0000 sec   128 KBytes  1.05 Mbits/sec",
                "[  1] Sent 89 datagrams",
                "[  1] Spate: 89 datagrams sent; no report: the end was sent 10 times, and the server did not answer",
            ],
            _lines);
    }

    [Fact]
    public void Finish_SentAfterReceived_StandsUnderItsOwnHeading()
    {
        Iperf2Text text = Text();
        text.Tell(Interval(sends: false));

        text.Tell(new Iperf2SendReport(
        [
            new Iperf2Sent
            {
                Stream = Stream with { Number = 2, IsReverse = true },
                Seconds = 1,
                Datagrams = 0,
                Bytes = 0,
                EndTries = 0,
            },
        ]));

        Assert.Equal<string[]>(
            [
                "[ ID] Interval       Transfer     Bandwidth",
                "[  2] 0.0000-1.0000 sec  0.00 Bytes  0.00 bits/sec",
                "[  2] Sent 0 datagrams",
                "[  2] Spate: 0 datagrams sent; no report: the end was sent 0 times, and the client did not answer",
            ],
            [.. _lines.Skip(2)]);
    }

    [Theory]
    [InlineData(1, "the server received 7, copies included")]
    [InlineData(2, "the server received 7, copies or another flow's included")]
    public void Finish_MoreArrivedThanWasSent_SaysWhatItMayBe(int flowCount, string expected)
    {
        var sent = new Iperf2Sent
        {
            Stream = Stream,
            Seconds = 1,
            Datagrams = 5,
            Bytes = 500,
            EndTries = 1,
            Arrived = 7,
            Report = new Iperf2ServerReport(1, new IperfCounts(800, 0, 8, 0, 0)),
        };

        Text().Tell(new Iperf2SendReport([.. Enumerable.Repeat(sent, flowCount)]));

        Assert.Equal($"[  1] Spate: 5 datagrams sent; {expected}", _lines[^1]);
    }

    [Fact]
    public void Notice_WithControlCharacters_IsMadeSafe()
    {
        Text().Tell(new IperfMessage("a\u001b[31mb\nc"));

        Assert.Equal(["spate: a\\u001b[31mb\\u000ac"], _lines);
    }

    private static IperfInterval Interval(bool sends) =>
        new(0, 1, [new IperfRow(1, sends, new IperfCounts { Bytes = 1000 })]);

    private Iperf2Text Text() => new(_lines.Add, 'a');
}
