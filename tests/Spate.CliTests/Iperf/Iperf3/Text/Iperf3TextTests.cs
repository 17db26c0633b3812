using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Text;
using Spate.Cli.Iperf.Iperf3.Wire;
using static Spate.CliTests.Iperf.Iperf3.Iperf3Sample;

namespace Spate.CliTests.Iperf.Iperf3.Text;

/// <summary>The lines are those that iperf3 3.12 wrote for the same figures, and then our own.</summary>
public sealed class Iperf3TextTests
{
    private static readonly string[] OurLines =
    [
        "",
        "client to server, every datagram accounted for:",
        "  sent 1,789, arrived 1,781, missing 8 (0.4472 %), duplicated 0, reordered 3",
        "  8 were lost in the socket of the receiver: a larger buffer would help.",
        "  iperf3 counts 4/1785 lost (0.22%), 3 out of order; 4 after the last one that it counts (after the end "
            + "of the test, or lost at the tail) are in no figure of iperf3",
    ];

    private readonly List<string> _lines = [];

    [Fact]
    public void Text_ForwardClient_IsAsOfIperf3()
    {
        Iperf3Text text = Text();
        Iperf3Test test = NewTest(isClient: true, new Iperf3Parameters());
        text.Tell(test);
        text.Tell(Interval(test, 0, 1.006, Counts(893)));
        text.Tell(Interval(test, 1.006, 2.0003, Counts(888)));
        text.Tell(Outcome(Stream(Counts(1781), Counts(1781, 0.000018))));

        AssertLines(
        [
            "Connecting to host hosta, port 5299",
            "[  5] local 127.0.0.1 port 60000 connected to 127.0.0.1 port 5299",
            "[ ID] Interval           Transfer     Bitrate         Total Datagrams",
            "[  5]   0.00-1.01   sec  1.19 MBytes  9.94 Mbits/sec  893  ",
            "[  5]   1.01-2.00   sec  1.19 MBytes  10.0 Mbits/sec  888  ",
            "- - - - - - - - - - - - - - - - - - - - - - - - -",
            "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams",
            "[  5]   0.00-2.00   sec  2.38 MBytes  9.97 Mbits/sec  0.000 ms  0/1781 (0%)  sender",
            "[  5]   0.00-2.00   sec  2.38 MBytes  9.97 Mbits/sec  0.018 ms  0/1781 (0%)  receiver",
            .. OurLines,
            "",
            "iperf Done.",
        ],
            _lines);
    }

    [Theory]
    [InlineData(true, "after the end of the test)")]
    [InlineData(false, "after the end of the test, or lost at the tail)")]
    public void Lines_NothingMissing_SayNoMoreThanIsKnownOfTheTail(bool isExact, string afterEnd)
    {
        Iperf3Direction direction = Direction("server") with { IsExact = isExact };
        direction = direction with { Account = direction.Account with { Lost = 0 } };

        string[] lines = [.. Iperf3Account.Lines(Outcome() with { Directions = [direction] })];

        Assert.EndsWith(
            $"; 4 after the last one that it counts ({afterEnd} are in no figure of iperf3",
            lines[^1],
            StringComparison.Ordinal);
    }

    [Fact]
    public void Text_ForwardServer_ShowsItsOwnCountsOnly()
    {
        Iperf3Text text = Text();
        Iperf3Test test = NewTest(isClient: false, new Iperf3Parameters());
        text.Tell(test);
        text.Tell(Interval(test, 0, 1.0002, Counts(87_342, 0.000133, lost: 56_433)));
        text.Tell(Outcome(Stream(Counts(87_350), Counts(87_350, 0.00008, lost: 56_433, outOfOrder: 2))));

        AssertLines(
        [
            "Accepted connection from 127.0.0.1, port 33404",
            "[  5] local 127.0.0.1 port 5299 connected to 127.0.0.1 port 60000",
            "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams",
            "[  5]   0.00-1.00   sec  41.3 MBytes   346 Mbits/sec  0.133 ms  56433/87342 (65%)  ",
            "- - - - - - - - - - - - - - - - - - - - - - - - -",
            "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams",
            "[  5]  0.0- 2.0 sec  2 datagrams received out-of-order",
            "[  5]   0.00-2.00   sec  41.3 MBytes   173 Mbits/sec  0.080 ms  56433/87350 (65%)  receiver",
            .. OurLines,
        ],
            _lines);
        Assert.Equal(string.Concat(_lines.Select(static line => line + "\n")), text.OutputText);
    }

    [Fact]
    public void Text_ReverseClient_NamesTheSendingHost()
    {
        Iperf3Text text = Text();
        Iperf3Test test = NewTest(isClient: true, new Iperf3Parameters { Reverse = true });
        text.Tell(test);
        text.Tell(Interval(test, 0, 1, Counts(893, 0.00002)));

        Assert.Equal("Reverse mode, remote host hosta is sending", _lines[1]);
        Assert.Equal("[  5]   0.00-1.00   sec  1.19 MBytes  10.0 Mbits/sec  0.020 ms  0/893 (0%)  ", _lines[^1]);
    }

    [Fact]
    public void Text_ParallelClient_HasSumsAndRulesBetweenIntervals()
    {
        Iperf3Text text = Text();
        Iperf3Test test = NewTest(isClient: true, new Iperf3Parameters { StreamCount = 2 });
        text.Tell(test);
        text.Tell(Interval(test, 0, 1.0002, Counts(891), Counts(891)));
        text.Tell(Interval(test, 1.0002, 2, Counts(895), Counts(895)));
        IperfCounts sent = Counts(1786);
        text.Tell(Outcome(Stream(sent, Counts(1786, 0.000021)), Stream(sent, Counts(1786, 0.0000116))));

        AssertLines(
        [
            "[  5] local 127.0.0.1 port 60000 connected to 127.0.0.1 port 5299",
            "[  7] local 127.0.0.1 port 60001 connected to 127.0.0.1 port 5299",
            "[ ID] Interval           Transfer     Bitrate         Total Datagrams",
            "[  5]   0.00-1.00   sec  1.19 MBytes  9.98 Mbits/sec  891  ",
            "[  7]   0.00-1.00   sec  1.19 MBytes  9.98 Mbits/sec  891  ",
            "[SUM]   0.00-1.00   sec  2.38 MBytes  20.0 Mbits/sec  1782  ",
            "- - - - - - - - - - - - - - - - - - - - - - - - -",
            "[  5]   1.00-2.00   sec  1.19 MBytes  10.0 Mbits/sec  895  ",
            "[  7]   1.00-2.00   sec  1.19 MBytes  10.0 Mbits/sec  895  ",
            "[SUM]   1.00-2.00   sec  2.39 MBytes  20.1 Mbits/sec  1790  ",
            "- - - - - - - - - - - - - - - - - - - - - - - - -",
            "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams",
            "[  5]   0.00-2.00   sec  2.38 MBytes  10.0 Mbits/sec  0.000 ms  0/1786 (0%)  sender",
            "[  5]   0.00-2.00   sec  2.38 MBytes  10.0 Mbits/sec  0.021 ms  0/1786 (0%)  receiver",
            "[  7]   0.00-2.00   sec  2.38 MBytes  10.0 Mbits/sec  0.000 ms  0/1786 (0%)  sender",
            "[  7]   0.00-2.00   sec  2.38 MBytes  10.0 Mbits/sec  0.012 ms  0/1786 (0%)  receiver",
            "[SUM]   0.00-2.00   sec  4.77 MBytes  20.0 Mbits/sec  0.000 ms  0/3572 (0%)  sender",
            "[SUM]   0.00-2.00   sec  4.77 MBytes  20.0 Mbits/sec  0.016 ms  0/3572 (0%)  receiver",
        ],
            _lines.Skip(1).Take(18));
    }

    [Theory]
    [InlineData(true, "TX-C", "RX-C")]
    [InlineData(false, "RX-S", "TX-S")]
    public void Text_Bidir_NamesTheRoles(bool isClient, string first, string second)
    {
        Iperf3Text text = Text();
        Iperf3Test test = NewTest(isClient, new Iperf3Parameters { Bidirectional = true });
        text.Tell(test);
        IperfCounts received = Counts(893, 0.00001);
        text.Tell(isClient ? Interval(test, 0, 1, Counts(893), received) : Interval(test, 0, 1, received, Counts(893)));

        string sender = "1.19 MBytes  10.0 Mbits/sec            893  ";
        string receiver = "1.19 MBytes  10.0 Mbits/sec  0.010 ms  0/893 (0%)  ";
        AssertLines(
        [
            "[ ID][Role] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams",
            $"[  5][{first}]   0.00-1.00   sec  {(isClient ? sender : receiver)}",
            $"[  7][{second}]   0.00-1.00   sec  {(isClient ? receiver : sender)}",
        ],
            _lines.Skip(3));
    }

    [Fact]
    public void Text_BidirServer_ShowsTheSideThatItSaw()
    {
        Iperf3Text text = Text();
        Iperf3Test test = NewTest(isClient: false, new Iperf3Parameters { Bidirectional = true });
        text.Tell(test);
        text.Tell(Outcome(
            Stream(Counts(1785), Counts(1785, 0.000694)), Stream(Counts(1786), Counts(1786, 0.00005))));

        AssertLines(
        [
            "[  5][RX-S]   0.00-2.00   sec  2.38 MBytes  9.99 Mbits/sec  0.694 ms  0/1785 (0%)  receiver",
            "[  7][TX-S]   0.00-2.00   sec  2.38 MBytes  10.0 Mbits/sec  0.000 ms  0/1786 (0%)  sender",
        ],
            _lines.Skip(5).Take(2));
    }

    [Fact]
    public void Report_OmittedInterval_SaysSo()
    {
        Iperf3Text text = Text();
        Iperf3Test test = NewTest(isClient: true, new Iperf3Parameters());
        text.Tell(test);
        text.Tell(Interval(test, 0, 1, Counts(891)) with { IsOmitted = true });

        Assert.Equal("[  5]   0.00-1.00   sec  1.19 MBytes  9.98 Mbits/sec  891  (omitted)", _lines[^1]);
    }

    [Fact]
    public void Report_IntervalOfNoLength_DividesByNothing()
    {
        Iperf3Text text = Text();
        Iperf3Test test = NewTest(isClient: false, new Iperf3Parameters());
        text.Tell(test);
        text.Tell(Interval(test, 1, 1, Counts(0, 0.00003)));

        Assert.Equal("[  5]   1.00-1.00   sec  0.00 Bytes  0.00 bits/sec  0.030 ms  0/0 (0%)  ", _lines[^1]);
    }

    [Fact]
    public void Text_Verbose_HasTheDetails()
    {
        Iperf3Text text = Text(new Iperf3OutputOptions { IsVerbose = true });
        Iperf3Test test = NewTest(isClient: true, new Iperf3Parameters { OmitSeconds = 1 });
        text.Tell(test);
        text.Tell(Outcome(Stream(Counts(1781), Counts(1781))));

        AssertLines(
        [
            "Control connection MSS 32768",
            "Time: Mon, 23 Nov 2026 01:32:24 GMT",
            "Connecting to host hosta, port 5299",
            "      Cookie: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "      Target Bitrate: 10000000",
            "[  5] local 127.0.0.1 port 60000 connected to 127.0.0.1 port 5299",
            "Starting Test: protocol: UDP, 1 streams, 1400 byte blocks, omitting 1 seconds, 2 second test, tos 0",
            "- - - - - - - - - - - - - - - - - - - - - - - - -",
            "Test Complete. Summary Results:",
        ],
            _lines.Skip(2).Take(9));
        Assert.True(_lines.Exists(static line => line is
            "CPU Utilization: local/sender 3.1% (2.5%u/0.6%s), remote/receiver 1.0% (0.3%u/0.8%s)"));
    }

    [Fact]
    public void Text_TitleAndTime_BeginEveryLine()
    {
        Iperf3Text text = Text(new Iperf3OutputOptions { Title = "hello", TimestampFormat = "%% " });
        Iperf3Test test = NewTest(isClient: true, new Iperf3Parameters());
        text.Tell(test);
        text.Tell(Outcome(Stream(Counts(1781), Counts(1781))));

        Assert.All(_lines, static line => Assert.StartsWith("% hello:  ", line, StringComparison.Ordinal));
    }

    [Fact]
    public void Finish_OutputOfTheServer_IsShownAndEscaped()
    {
        Iperf3Text text = Text();
        Iperf3Test test = NewTest(isClient: true, new Iperf3Parameters());
        text.Tell(test);
        text.Tell(Outcome(Stream(Counts(1), Counts(1))) with { ServerText = "one\n\u001b[31mtwo\n" });

        int at = _lines.IndexOf("Server output:");
        AssertLines(["", "Server output:", "one", "\\u001b[31mtwo"], _lines.Skip(at - 1).Take(4));
    }

    [Fact]
    public void Start_CookieOfAStranger_IsEscaped()
    {
        Iperf3Text text = Text(new Iperf3OutputOptions { IsVerbose = true });
        Iperf3Test test = NewTest(isClient: false, new Iperf3Parameters()) with { Cookie = "\u001b]0;\u0007" };
        text.Tell(test);

        Assert.True(_lines.Exists(static line => line is
            "      Cookie: \\u001b]0;\\u0007"));
    }

    [Theory]
    [InlineData('a', "9.97 Mbits/sec")]
    [InlineData('k', "9966 Kbits/sec")]
    [InlineData('g', "0.01 Gbits/sec")]
    [InlineData('K', "1217 KBytes/sec")]
    [InlineData('M', "1.19 MBytes/sec")]
    public void Rate_Format_ChoosesTheUnit(char format, string expected) =>
        Assert.Equal(expected, IperfFigures.Rate(1_245_781, format));

    [Theory]
    [InlineData(0, "0.00 Bytes")]
    [InlineData(1000, "1000 Bytes")]
    [InlineData(140_000, " 137 KBytes")]
    [InlineData(1_048_576, "1.00 MBytes")]
    [InlineData(10_480_000, "9.99 MBytes")]
    [InlineData(10_485_000, "10.0 MBytes")]
    [InlineData(1_099_511_627_776, "1.00 TBytes")]
    [InlineData(5_000_000_000_000_000, "4547 TBytes")]
    public void Amount_Bytes_HasThreeDigits(long bytes, string expected) =>
        Assert.Equal(expected, IperfFigures.Amount(bytes));

    [Theory]
    [InlineData(0, "0")]
    [InlineData(65.2, "65")]
    [InlineData(100, "1e+02")]
    [InlineData(6.25, "6.2")]
    [InlineData(0.0123, "0.012")]
    [InlineData(0.00001234, "1.2e-05")]
    public void Percent_Value_IsAsOfPrintf(double value, string expected) =>
        Assert.Equal(expected, IperfFigures.Percent(value));

    [Theory]
    [InlineData("%c ", "Mon Nov  2 01:32:04 2026 ")]
    [InlineData("%F_%T-", "2026-11-02_01:32:04-")]
    [InlineData("%Y%m%dT%H%M%S%z", "20261102T013204+0000")]
    [InlineData("%s %j %e %Q %", "1793583124 306  2 %Q %")]
    public void Write_FormatOfStrftime_IsUnderstood(string format, string expected) =>
        Assert.Equal(expected, TimeText.Write(format, new DateTimeOffset(2026, 11, 2, 1, 32, 4, TimeSpan.Zero)));

    private static void AssertLines(string[] expected, IEnumerable<string> actual) =>
        Assert.Equal(string.Join('\n', expected), string.Join('\n', actual));

    private Iperf3Text Text(Iperf3OutputOptions? options = null)
    {
        options ??= new Iperf3OutputOptions();
        return new Iperf3Text(new Iperf3Lines(_lines.Add, options, TimeProvider.System), options, "hosta");
    }
}
