using System.Text.RegularExpressions;
using Spate.Cli.Gateway;
using Spate.Cli.Shell.Terminal;
using Spate.Gateway;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.CliTests.Gateway;

/// <summary>The lines of <c>spate gateway</c>: no figure cut, and an account that a reader can add up.</summary>
public sealed partial class GatewayTextTests : IDisposable
{
    private readonly StringWriter _output = new();

    [Fact]
    public void WriteInterval_NoTerminal_ShowsEveryFigure()
    {
        new GatewayText(new TerminalWriter(_output)).WriteInterval(Interval());

        Assert.Equal(
            ["10.0-11.0", "1,000,000", "900,000", "60", "10", "30", "-", "0", "150", "%", "disconnected"],
            Words(Lines()[^1]));
    }

    [Theory]
    [InlineData(80, "disconnected")]
    [InlineData(60, "60")]
    public void WriteInterval_NarrowTerminal_LeavesColumnsOutAndSaysSo(int columns, string lastKept)
    {
        new GatewayText(Terminal(columns)).WriteInterval(Interval());

        Assert.All(Lines(), line => Assert.InRange(Plain(line).Length, 0, columns - 1));
        Assert.Contains("left out", string.Join(' ', Lines()), StringComparison.Ordinal);
        Assert.Contains("900,000", Words(Lines()[^1]), StringComparer.Ordinal);
        Assert.Equal(lastKept, Words(Lines()[^1])[^1]);
    }

    [Fact]
    public void WriteSummary_Losses_NamesEachReasonOnce()
    {
        string text = Summary(Report() with
        {
            Dropped = 75,
            DroppedWindowFull = 40,
            DroppedRefused = 20,
            DroppedOversized = 9,
            DroppedShutdown = 5,
            NotAllowed = 1,
            InDoubt = 25,
            KernelDrops = 4,
            KernelDropUnit = "coalesced buffers",
            Unread = 6,
        });

        Assert.Contains(
            "accepted 1,000 = committed 900 + dropped 75 + in doubt 25 + in flight 0; difference 0", text,
            StringComparison.Ordinal);
        Assert.Contains(
            "dropped: 40 because the memory was full (--memory), 20 because the broker refused them, "
                + "9 because they are larger than a message (--pack-bytes), 5 because the time to drain was over "
                + "(--drain), 1 because of their source (--allow, --limit-per-prefix)",
            text,
            StringComparison.Ordinal);
        Assert.Contains("in doubt: published on a lost connection", text, StringComparison.Ordinal);
        Assert.Contains("4 coalesced buffers; a larger --receive-buffer", text, StringComparison.Ordinal);
        Assert.Contains("left unread in the sockets at the end: 6", text, StringComparison.Ordinal);
    }

    [Fact]
    public void WriteSummary_NothingLost_SpeaksOfNoLoss()
    {
        string text = Summary(Report() with { Accepted = 900 });

        Assert.DoesNotContain("because the memory", text, StringComparison.Ordinal);
        Assert.DoesNotContain("in doubt:", text, StringComparison.Ordinal);
        Assert.DoesNotContain("--receive-buffer", text, StringComparison.Ordinal);
        Assert.DoesNotContain("not read:", text, StringComparison.Ordinal);
    }

    [Fact]
    public void WriteSummary_NullTarget_SpeaksOfNoConfirmation()
    {
        string text = Summary(Report() with { Queue = null, MessagesConfirmed = 12 });

        Assert.DoesNotContain("confirmed", text, StringComparison.Ordinal);
        Assert.DoesNotContain("connections lost", text, StringComparison.Ordinal);
        Assert.Contains(
            "messages filled and discarded 12, accounting messages included",
            text,
            StringComparison.Ordinal);
    }

    [Fact]
    public void WriteSummary_Broker_CountsConfirmedMessages() => Assert.Contains(
        "messages confirmed 12, published again 0; connections lost 0",
        Summary(Report() with { Queue = "stream", MessagesConfirmed = 12 }),
        StringComparison.Ordinal);

    public void Dispose() => _output.Dispose();

    // Lines are joined, since a page may fold them.
    private string Summary(GatewayReport report)
    {
        new GatewayText(new TerminalWriter(_output)).WriteSummary(report);
        return string.Join(' ', Lines());
    }

    private TerminalWriter Terminal(int columns) => new(_output, () => new TerminalSize(columns, Rows: 24));

    private string[] Lines() => _output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);

    // Without the marks of bold text, which take no column.
    private static string Plain(string line) => Bold().Replace(line, "");

    [GeneratedRegex(@"\x1b\[[0-9]*m", RegexOptions.NonBacktracking)]
    private static partial Regex Bold();

    private static string[] Words(string line) => line.Split(' ', StringSplitOptions.RemoveEmptyEntries);

    private static GatewayReport Report() => new()
    {
        Kind = GatewayReport.KindName,
        State = "committing",
        Backend = "mmsg",
        Datagrams = 1000,
        Bytes = 200_000,
        Seconds = 1,
        Accepted = 1000,
        Committed = 900,
        KernelDrops = 0,
        KernelDropUnit = "datagrams",
    };

    private static GatewayInterval Interval() => new(
        new IntervalReport { StartSeconds = 10, Seconds = 1, Datagrams = 1_000_000, Bytes = 1, CpuPercent = 150 },
        Committed: 900_000,
        Dropped: 60,
        KernelDrops: null,
        new GatewayStatistics
        {
            State = GatewayState.Disconnected,
            Pipelines =
            [
                new GatewayPipelineStatistics
                {
                    ShardIndex = 0,
                    State = GatewayState.Disconnected,
                    Accepted = 1000,
                    Committed = 900,
                    DroppedWindowFull = 60,
                    InDoubt = 30,
                    InFlight = 10,
                },
            ],
            Server = new UdpServerStatistics { Threads = [], Sockets = default },
        });
}
