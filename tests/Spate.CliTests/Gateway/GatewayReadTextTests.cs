using Spate.Cli.Gateway;
using Spate.Cli.Shell.Terminal;
using Spate.Gateway;

namespace Spate.CliTests.Gateway;

/// <summary>What <c>spate gateway read</c> says: the verdict, each gap, and no control characters.</summary>
public sealed class GatewayReadTextTests
{
    private const string Hostile = "e\u001b[2J\u202e\n";

    [Fact]
    public void Write_NothingMissing_IsComplete()
    {
        string text = Write(Findings(Key()));

        Assert.Contains("complete: no accepted datagram is missing", text, StringComparison.Ordinal);
        Assert.DoesNotContain("NOT complete", text, StringComparison.Ordinal);
        Assert.Contains("read 1,000 datagrams in 12 messages, copies 7; messages of other programs 3", text,
            StringComparison.Ordinal);
        Assert.Contains("2023-11-14 22:13:20", text, StringComparison.Ordinal);
        Assert.DoesNotContain("no end", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_Losses_NamesRangesAndReasons()
    {
        string text = Write(Findings(Key() with
        {
            State = GatewayEpochState.Open,
            NextSequence = 1010,
            LastAccepted = 1015,
            Missing = 3,
            CommittedMissing = 2,
            Gaps =
            [
                new GatewayFinding
                {
                    Kind = GatewayFindingKind.Dropped,
                    First = 100,
                    Count = 5,
                    Reason = GatewayDropReason.WindowFull,
                },
                new GatewayFinding { Kind = GatewayFindingKind.Missing, First = 200, Count = 3 },
            ],
        }));

        Assert.Contains("gw of 2023-11-14 22:13:20.000 1/2: dropped (window-full) 100 to 104: 5", text,
            StringComparison.Ordinal);
        Assert.Contains(" 1/2: missing 200 to 202: 3", text, StringComparison.Ordinal);
        Assert.Contains("no end after 1,010 datagrams: still running, or killed; its last accounting message reports",
            text,
            StringComparison.Ordinal);
        Assert.Contains("NOT complete: missing without a stated reason 3, confirmed but not in the stream at least 2, "
            + "unexplained 0, unsettled 0", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_RunWithoutEndLeavesUnexplained_IsNotCalledComplete()
    {
        string text = Write(Findings(
            Key() with { State = GatewayEpochState.Superseded, Unexplained = 2000, Unsettled = 3 }));

        Assert.Contains(
            "no confirmed datagram is missing; 1 run(s) have no end; of their datagrams unexplained 2,000, unsettled 3",
            text,
            StringComparison.Ordinal);
        Assert.DoesNotContain("complete", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_EndedRunLeavesUnexplained_IsNotComplete() => Assert.Contains(
        "NOT complete: missing without a stated reason 0, confirmed but not in the stream at least 0, unexplained 2,",
        Write(Findings(Key() with { Unexplained = 2 })), StringComparison.Ordinal);

    [Fact]
    public void Write_Interrupted_IsNotComplete()
    {
        string text = Write(Findings(Key()) with { IsInterrupted = true });

        Assert.Contains("stopped before the end of the stream", text, StringComparison.Ordinal);
        Assert.Contains("NOT complete", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_Undecided_IsCounted() => Assert.Contains(
        "undecided 5,000: ", Write(Findings(Key() with { Undecided = 5000 })), StringComparison.Ordinal);

    [Fact]
    public void Write_LongIds_AreToldApart()
    {
        string text = Write(Findings(Key() with
        {
            IsHeadCut = true,
            Key = Key().Key with { GatewayId = new string('x', 63) + "7" },
        }));

        Assert.Contains("x7 of 2023-11-14 22:13:20.000 1/2: head cut", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Findings_ForgedSums_DoNotWrap()
    {
        GatewayKeyFindings forged = Key() with { Missing = 1L << 62 };

        Assert.Equal(long.MaxValue, new GatewayFindings { Keys = [forged, forged, forged, forged, forged] }.Missing);
    }

    [Fact]
    public void Report_Of_HasEveryCount()
    {
        GatewayFindings findings = Findings(Key() with
        {
            Reordered = 1,
            DroppedWindowFull = 2,
            DroppedRefused = 3,
            DroppedOversized = 4,
            DroppedShutdown = 5,
            Unexplained = 6,
            Unsettled = 7,
            CutOff = 8,
            Undecided = 9,
        }) with
        { FirstUnreadable = "offset 4: too short", IsInterrupted = true };
        var report = GatewayReadReport.Of(findings, GatewayTarget.Parse("amqp://localhost"), "s");
        GatewayKeyReport key = Assert.Single(report.Keys);

        Assert.Equal((6L, 7L, 9L, "offset 4: too short", true), (report.Unexplained, report.Unsettled,
            report.Undecided, report.FirstUnreadable, report.IsInterrupted));
        long[] counts =
        [
            key.Reordered, key.DroppedWindowFull, key.DroppedRefused, key.DroppedOversized, key.DroppedShutdown,
            key.Unexplained, key.Unsettled, key.CutOff, key.Undecided,
        ];
        Assert.Equal(Enumerable.Range(1, 9).Select(static number => (long)number), counts);
    }

    [Fact]
    public void Write_ManyGaps_AreCounted()
    {
        GatewayFinding gap = new()
        {
            Kind = GatewayFindingKind.Dropped,
            First = 0,
            Count = 1,
            Reason = GatewayDropReason.Refused,
        };
        string text = Write(Findings(Key() with { Gaps = [.. Enumerable.Repeat(gap, 25)], GapsOmitted = 1000 }));

        Assert.Contains("and 1,015 more gaps", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_CutHead_IsNoLoss()
    {
        string text = Write(Findings(Key() with { IsHeadCut = true, FirstSequence = 500 }));

        Assert.Contains("head cut, begins with 500", text, StringComparison.Ordinal);
        Assert.Contains("complete: ", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_UnreadableAndUntracked_IsNotComplete()
    {
        string text = Write(Findings(Key()) with
        {
            MessagesUnreadable = 2,
            FirstUnreadable = "offset 4: too short",
            MessagesUntracked = 6,
        });

        Assert.Contains("2 message(s) could not be read: offset 4: too short", text, StringComparison.Ordinal);
        Assert.Contains("6 message(s) of runs above the tracking limit", text, StringComparison.Ordinal);
        Assert.Contains("NOT complete", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_HostileId_IsEscaped()
    {
        string text = Write(Findings(Key() with
        {
            Key = Key().Key with { GatewayId = Hostile, EpochUnixNanoseconds = long.MaxValue },
            State = GatewayEpochState.Superseded,
            IsHeadCut = true,
        }));

        Assert.DoesNotContain('\u001b', text);
        Assert.DoesNotContain('\u202e', text);
        Assert.Contains(@"e\u001b[2J\u202e\u000a", text, StringComparison.Ordinal);
    }

    private static string Write(GatewayFindings findings)
    {
        using var output = new StringWriter();
        GatewayReadText.Write(findings, new TerminalWriter(output));
        return output.ToString();
    }

    private static GatewayFindings Findings(GatewayKeyFindings key) =>
        new() { Messages = 12, MessagesForeign = 3, Keys = [key] };

    private static GatewayKeyFindings Key() => new()
    {
        Key = new GatewayKey
        {
            GatewayId = "gw",
            EpochUnixNanoseconds = 1_700_000_000_000_000_000,
            ShardIndex = 1,
            PartitionIndex = 2,
        },
        State = GatewayEpochState.Ended,
        NextSequence = 1000,
        Datagrams = 1000,
        Duplicates = 7,
        LastAccepted = 1000,
    };
}
