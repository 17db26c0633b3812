using System.Globalization;
using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.Gateway.Reading;
using Spate.TestHelpers.Gateways;

namespace Spate.Tests.Gateway.Reading;

/// <summary>
/// Streams as scripts: <c>r 0 10</c> datagrams 0 to 9; <c>s 10 8 t</c> an accounting message (accepted, committed, its
/// time) with <c>b</c> begin, <c>e</c> end, <c>m</c> more to be named, and dropped ranges as <c>5+2</c>; <c>cut</c>
/// what retention removed before it was read.
/// </summary>
public sealed class VerifierTests
{
    private const string ContentType = FormatLimits.ContentType;

    [Theory]

    // Whole runs.
    [InlineData("s 0 0 1 b | r 0 10 | r 10 10 | s 20 20 2 e", 0, "Ended 0..20 read 20")]
    [InlineData("s 0 0 1 b | s 0 0 2 e", 0, "Ended 0..0 read 0")]
    [InlineData("s 0 0 1 b | r 0 5 | r 7 3 | s 10 8 2 e 5+2", 0, "Ended 0..10 read 8 | Dropped 5+2")]
    [InlineData("s 0 0 1 b | r 0 5 | r 7 3 | s 10 8 2 m 5+1 | s 10 8 3 e 6+1", 0, "Ended 0..10 read 8 | Dropped 5+2")]

    // Copies, with a reconnect or without one, and accounting messages sent again.
    [InlineData("s 0 0 1 b | r 0 5 | r 5 5 | s 0 0 1 b | r 0 5 | r 5 5 | r 10 5 | s 15 15 2 e", 0,
        "Ended 0..15 read 15 copies 10")]
    [InlineData("s 0 0 1 b | r 0 5 | r 0 5 | r 5 5 | s 10 10 2 e | s 10 10 2 e", 0, "Ended 0..10 read 10 copies 5")]
    [InlineData("s 0 0 1 b | r 0 5 | r 3 5 | s 8 8 2 e", 0, "Ended 0..8 read 8 copies 2")]

    [InlineData("s 0 0 1 b | r 0 5 | r 7 3 | r 5 2 | s 10 10 2 e", 0, "Ended 0..10 read 10 reordered 2")]

    // Losses.
    [InlineData("s 0 0 1 b | r 0 5 | r 7 3 | s 10 8 2 e", 0, "Ended 0..10 read 8 | Missing 5+2")]
    [InlineData("s 0 0 1 b | r 0 5 | s 10 5 2 e", 0, "Ended 0..5 read 5 | Missing 5+5")]
    [InlineData("s 0 0 1 b | s 10 0 2 e", 0, "Ended 0..0 read 0 | Missing 0+10")]
    [InlineData("r 5 5 | s 10 5 2 e", 0, "Ended 0..10 read 5 | Missing 0+5")]
    [InlineData("s 0 0 1 b | r 0 5 | r 7 3 | s 12 8 2 | r 10 2", 0, "Open 0..12 read 10 | Missing 5+2")]

    // Confirmed, but not in the stream: proved by the number alone, even where the run ended at once.
    [InlineData("s 0 0 1 b | r 0 5 | s 10 8 2", 0, "Open 0..5 read 5 confirmed 3 | Unsettled 5+5")]
    [InlineData("s 0 0 1 b | r 0 5 | s 20 8 2 | r 8 12", 0, "Open 0..20 read 17 confirmed 3 | Unexplained 5+3")]

    // A run that was killed: the reason may have died with it, what was under way too.
    [InlineData("s 0 0 1 b | r 0 10 | s 15 10 2", 0, "Open 0..10 read 10 | Unsettled 10+5")]
    [InlineData("s 0 0 1 b | r 0 10 | s 12 10 2 | r 10 2 | r 15 5", 0, "Open 0..20 read 17 | Unexplained 12+3")]
    [InlineData("s 0 0 1 b | r 0 5 | r 8 2 | s 10 7 2 m 5+1", 0,
        "Open 0..10 read 7 | Dropped 5+1 | Unexplained 6+2")]

    // A copy of an accounting message says nothing about what was dropped after its first copy.
    [InlineData("s 0 0 1 b | r 0 5 | s 9 5 2 | r 7 2 | s 9 5 2 | r 7 2", 0,
        "Open 0..9 read 7 copies 2 | Unexplained 5+2")]

    // Cut by retention, or begun later: no loss before the first one, and the reason of the first gaps may be cut off.
    [InlineData("r 100 10 | r 110 10 | s 120 120 9 e", 7, "Ended cut 100..120 read 20")]
    [InlineData("r 100 10 | r 115 5 | s 120 90 8 | r 120 5 | r 130 5 | s 135 100 9 e", 7,
        "Ended cut 100..135 read 25 | CutOff 110+5 | Missing 125+5")]
    [InlineData("r 100 10 | s 115 0 8 | r 130 5 | s 135 0 9 e", 7,
        "Ended cut 100..135 read 15 | CutOff 110+5 | Missing 115+15")]
    [InlineData("r 107 3 | r 100 7 | r 107 3 | s 110 110 9 e", 7, "Ended cut 107..110 read 10 copies 3")]
    [InlineData("s 110 90 8 | r 105 5 | s 110 110 9 e", 7, "Ended cut 105..110 read 5")]
    [InlineData("s 110 110 9 e", 7, "Ended cut 0..0 read 0")]

    // Retention overtook the reader: no loss in between, nor of what an accounting message in between may have named.
    [InlineData("s 0 0 1 b | r 0 10 | s 10 10 2 | cut | r 50 10 | s 60 60 9 e", 0,
        "Ended 0..60 read 20 | CutOff 10+40")]
    [InlineData(
        "s 0 0 1 b | r 0 5 | r 7 3 | s 10 8 2 | r 10 5 | cut | r 50 5 | s 58 0 3 | r 60 5 | r 70 1 | s 71 0 9 e",
        0,
        "Ended 0..71 read 24 | Missing 5+2 | CutOff 15+35 | CutOff 55+3 | Missing 58+2 | Missing 65+5")]
    [InlineData("s 0 0 1 b | r 0 5 | cut | r 8 2", 0, "Open 0..10 read 7 | CutOff 5+3")]
    [InlineData("s 0 0 1 b | r 0 5 | s 20 8 2 | cut | r 30 5 | s 35 30 9 e", 0, "Ended 0..35 read 10 | CutOff 5+25")]
    [InlineData("s 0 0 1 b | r 0 5 | s 8 5 2 e | cut", 0, "Ended 0..5 read 5 | Missing 5+3")]

    // The end says that not all was said: nobody will say the reason.
    [InlineData("s 0 0 1 b | r 0 5 | r 7 3 | s 10 8 2 e m", 0, "Ended 0..10 read 8 | Unexplained 5+2")]

    // Said to be dropped, though a broker kept it: it counts as read.
    [InlineData("s 0 0 1 b | r 0 10 | s 10 5 2 e 5+5", 0, "Ended 0..10 read 10")]
    public void Take_Stream_IsJudged(string script, int firstOffset, string expected)
    {
        var verifier = new Verifier(1, 10, visitsDuplicates: false, visit: null);
        ulong offset = (ulong)firstOffset;
        foreach (string line in script.Split(" | "))
        {
            if (line is "cut") verifier.Cut(0);
            else verifier.Take(0, offset++, ContentType, Message(line));
        }

        Assert.Equal(expected, Text(Assert.Single(verifier.Findings().Keys)));
    }

    [Fact]
    public void Findings_LaterRunOfTheSameGateway_SupersedesTheEarlier()
    {
        var verifier = new Verifier(1, 10, visitsDuplicates: false, visit: null);
        verifier.Take(0, 0, ContentType, MessageBytes.Records(0, 5));
        verifier.Take(0, 1, ContentType, MessageBytes.Records(0, 5, epoch: MessageBytes.Epoch + 1));
        verifier.Take(0, 2, ContentType, MessageBytes.Records(0, 5, id: "other"));

        Assert.Equal(
            [GatewayEpochState.Superseded, GatewayEpochState.Open, GatewayEpochState.Open],
            verifier.Findings().Keys.Select(key => key.State));
    }

    [Fact]
    public void Take_Duplicates_AreVisitedOnlyWhereAsked()
    {
        Assert.Equal(new long[] { 0, 1, 2, 3 }, Visited(visitsDuplicates: false));
        Assert.Equal(new long[] { 0, 1, 2, 1, 2, 3 }, Visited(visitsDuplicates: true));

        static List<long> Visited(bool visitsDuplicates)
        {
            var sequences = new List<long>();
            var verifier = new Verifier(
                1, 10, visitsDuplicates, (in GatewayRecord record) => sequences.Add(record.Sequence));
            verifier.Take(0, 0, ContentType, MessageBytes.Records(0, 3));
            verifier.Take(0, 1, ContentType, MessageBytes.Records(1, 3));
            return sequences;
        }
    }

    [Fact]
    public void Take_WhatIsNoMessageOfAGateway_IsCountedByKind()
    {
        var verifier = new Verifier(1, 1, visitsDuplicates: false, visit: null);
        verifier.Take(0, 0, null, [1, 2, 3]);
        verifier.Take(0, 1, "application/vnd.spate.gatewayish", [1, 2, 3]);
        verifier.Take(0, 2, "application/vnd.spate.gateway;version=2", MessageBytes.Records(0, 1));
        verifier.Take(0, 3, ContentType, [1, 2, 3]);
        verifier.Take(0, 4, ContentType, MessageBytes.Records(0, 1));
        verifier.Take(0, 5, ContentType, MessageBytes.Records(0, 1, id: "another"));

        GatewayFindings findings = verifier.Findings();

        Assert.Equal((6L, 2L, 2L, 1L), (findings.Messages, findings.MessagesForeign, findings.MessagesUnreadable,
            findings.MessagesUntracked));
        Assert.StartsWith("offset 2: its version", findings.FirstUnreadable, StringComparison.Ordinal);
        Assert.False(findings.IsComplete);
    }

    [Fact]
    public void Record_OfAMessage_TellsWhatTheGatewaySaw()
    {
        bool isVisited = false;
        var verifier = new Verifier(1, 1, visitsDuplicates: false, (in GatewayRecord record) =>
        {
            isVisited = true;
            Assert.Equal(
                new GatewayKey
                {
                    GatewayId = "gw",
                    EpochUnixNanoseconds = MessageBytes.Epoch,
                    ShardIndex = 2,
                    PartitionIndex = 3,
                },
                record.Key);
            Assert.Equal(MessageBytes.Peer, record.Peer);
            Assert.Equal(MessageBytes.Local, record.LocalEndPoint);
            Assert.Equal(MessageBytes.Epoch + 1, record.ArrivalUnixNanoseconds);
            Assert.Equal((7L, 9L), (record.Sequence, record.StreamOffset));
        });

        verifier.Take(0, 9, ContentType, MessageBytes.Records(7, 1, shard: 2, partition: 3));

        Assert.True(isVisited);
    }

    private static byte[] Message(string line)
    {
        string[] words = line.Split(' ');
        ulong first = Number(words[1]);
        return words[0] is "r"
            ? MessageBytes.Records(first, (int)Number(words[2]))
            : MessageBytes.AccountingTotals(
                first, Number(words[2]), (long)Number(words[3]), Ranges(words[4..]), Flags(words[4..]));
    }

    private static DroppedRange[] Ranges(string[] words) =>
    [
        .. words.Where(word => word.Contains('+', StringComparison.Ordinal)).Select(word => word.Split('+'))
            .Select(parts => new DroppedRange(Number(parts[0]), Number(parts[1]), GatewayDropReason.WindowFull)),
    ];

    private static PackFlags Flags(string[] words) =>
        (words.Contains("b") ? PackFlags.Begin : PackFlags.None)
        | (words.Contains("e") ? PackFlags.End : PackFlags.None)
        | (words.Contains("m") ? PackFlags.More : PackFlags.None);

    private static ulong Number(string word) => ulong.Parse(word, NumberStyles.None, CultureInfo.InvariantCulture);

    private static string Text(GatewayKeyFindings key)
    {
        string head = $"{key.State}{(key.IsHeadCut ? " cut" : "")} {key.FirstSequence}..{key.NextSequence} "
            + $"read {key.Datagrams}";
        if (key.Duplicates > 0) head += $" copies {key.Duplicates}";
        if (key.Reordered > 0) head += $" reordered {key.Reordered}";
        if (key.CommittedMissing > 0) head += $" confirmed {key.CommittedMissing}";
        return string.Join(" | ", [head, .. key.Gaps.Select(gap => $"{gap.Kind} {gap.First}+{gap.Count}")]);
    }
}
