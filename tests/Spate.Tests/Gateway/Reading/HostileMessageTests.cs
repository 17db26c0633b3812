using System.Diagnostics;
using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.Gateway.Reading;
using Spate.TestHelpers.Gateways;

namespace Spate.Tests.Gateway.Reading;

/// <summary>Messages as anybody who may publish into the stream can make them.</summary>
public sealed class HostileMessageTests
{
    private const int Cases = 50_000;
    private static readonly TimeSpan MaxTime = TimeSpan.FromSeconds(5);

    private static readonly GatewayKey Key = new()
    {
        GatewayId = "gw",
        EpochUnixNanoseconds = 0,
        ShardIndex = 0,
        PartitionIndex = 0,
    };

    [Fact]
    public void Take_ChangedMessages_AreCountedAndNeverThrow()
    {
        Random random = RandomCase.Create();
        byte[][] seeds =
        [
            MessageBytes.Records(0, 3), MessageBytes.Records(ulong.MaxValue >> 2, 1),
            MessageBytes.AccountingTotals(
                100, 50, 2, [new DroppedRange(10, 5, GatewayDropReason.Refused)], PackFlags.End),
        ];
        ulong visited = 0;
        var verifier = new Verifier(1, 64, visitsDuplicates: true, (in GatewayRecord record) =>
        {
            // Everything that can be asked of a record, so that an offset that is wrong shows.
            visited += (ulong)(record.Payload.Length + record.Peer.Port + record.LocalEndPoint.Port) + 1;
        });
        long start = Stopwatch.GetTimestamp();
        int done = 0;
        for (; done < Cases && Stopwatch.GetElapsedTime(start) < MaxTime; done++)
        {
            verifier.Take(0, (ulong)done, FormatLimits.ContentType, Changed(seeds[random.Next(seeds.Length)], random));
        }

        GatewayFindings findings = verifier.Findings();
        Assert.Equal(done, findings.Messages);
        Assert.InRange(findings.MessagesUnreadable, 1, done - 1);
        Assert.InRange(findings.Keys.Count, 1, 64);
        Assert.True(visited > 0);
    }

    [Fact]
    public void Take_GapsWithoutEnd_AreBounded()
    {
        var track = new KeyTrack(Key, 0, isFromStart: true, new IntervalBudget(100), new IntervalBudget(10));
        for (ulong first = 1; first < 10_000; first += 2) track.AddRecords(first, 1);

        GatewayKeyFindings findings = KeyJudge.Judge(track, isSuperseded: false);

        Assert.True(findings.Undecided > 0);
        Assert.Equal(10_000L, findings.Datagrams + findings.Undecided + findings.Unexplained);
        Assert.InRange(findings.Gaps.Count, 1, 103);
    }

    [Fact]
    public void AddStatement_OneRangeOverAllGaps_IsOneChange()
    {
        var budget = new IntervalBudget(IntervalSet.MaxCount);
        var track = new KeyTrack(Key, stream: 0, isFromStart: true, budget, new IntervalBudget(10));
        for (ulong first = 1; first < 8000; first += 2) track.AddRecords(first, 1);
        int left = budget.Left;
        byte[] bytes = MessageBytes.AccountingTotals(
            8000, 0, 1, [new DroppedRange(0, 8000, GatewayDropReason.Refused)]);
        Assert.Equal(FormatFault.None, PackMessage.Read(bytes, out PackMessage message));
        Assert.Equal(FormatFault.None, AccountingMessage.Read(message, out AccountingMessage accounting));
        track.AddAccountingMessage(accounting);

        Assert.Equal(4000UL, track.DroppedFor(GatewayDropReason.Refused));
        Assert.Equal(8000UL, track.Accounted.CountIn(0, 8000));
        Assert.Equal(3990, track.Dropped.Omitted);
        Assert.True(left < budget.Left);
        Assert.Equal(IntervalSet.MaxCount, budget.Left);
    }

    private static byte[] Changed(byte[] seed, Random random)
    {
        byte[] bytes = [.. seed];
        for (int changes = random.Next(4); changes > 0; changes--)
        {
            int at = random.Next(bytes.Length);
            bytes[at] = random.Next(3) switch
            {
                0 => (byte)random.Next(256),
                1 => (byte)(bytes[at] ^ (1 << random.Next(8))),
                _ => random.Next(2) == 0 ? (byte)0 : (byte)255,
            };
        }

        return random.Next(8) switch
        {
            0 => bytes[..random.Next(bytes.Length)],
            1 => [.. bytes, .. new byte[random.Next(40)]],
            _ => bytes,
        };
    }
}
