using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.Gateway.Pipelines;

namespace Spate.Tests.Gateway.Pipelines;

/// <summary>Which accounting messages a pipeline writes, and when the last one has said everything.</summary>
public sealed class PipelineAccountingTests
{
    private const int PackBytes = 64 * 1024;

    private readonly PipelinePlan _plan = PipelineCase.Plan(TimeProvider.System, partitionCount: 2) with
    {
        PackBytes = PackBytes,
    };

    private readonly PipelineLedger _ledger = new(2);
    private readonly PipelineWriter _writer;
    private readonly PipelineAccounting _accounting;

    public PipelineAccountingTests()
    {
        _writer = new PipelineWriter(_plan, shardIndex: 0, [UdpEndPoint.Loopback(9)]);
        _accounting = new PipelineAccounting(_plan, _writer, _ledger);
    }

    [Fact]
    public void TryWrite_First_EveryPartitionBeginsAtZero()
    {
        // All of it later than the begin accounting messages, which are written before anything is accepted.
        Drop(0, 10);
        Drop(1, 10);
        _accounting.Heartbeat(5, UdpDropUnit.Datagrams);
        _accounting.End();
        for (int partition = 0; partition < 2; partition++)
        {
            Said begin = Take();
            Assert.Equal((partition, PackFlags.Begin, 0ul), (begin.Partition, begin.Flags, begin.Accepted));
            Assert.Empty(begin.Ranges);
            Assert.Equal(new AccountingTotals(), begin.Totals);
        }

        Assert.Equal(PackFlags.End, Take().Flags);
    }

    [Fact]
    public void TryWrite_AfterAHeartbeat_OneForEachPartitionWithItsOwnTotals()
    {
        TakeBegins();
        Assert.Null(_accounting.TryWrite());
        Drop(1, 3);
        _ledger[0].Accept(7);
        _ledger[0].Commit(4);
        _ledger.Refuse(11);
        _accounting.Heartbeat(5, UdpDropUnit.Datagrams);

        Said first = Take(), second = Take();
        Assert.Null(_accounting.TryWrite());
        AccountingTotals expected = new()
        {
            Committed = 4,
            NotAllowed = 11,
            KernelDrops = 5,
            KernelDropUnit = UdpDropUnit.Datagrams,
        };
        Assert.Equal((0, PackFlags.None, 7ul), (first.Partition, first.Flags, first.Accepted));
        Assert.Equal(expected, first.Totals);
        Assert.Empty(first.Ranges);
        Assert.Equal((1, PackFlags.None, 6ul), (second.Partition, second.Flags, second.Accepted));
        Assert.Equal(new AccountingTotals { DroppedWindowFull = 3 }, second.Totals);
        Assert.Equal(RangesUpTo(3), second.Ranges);
    }

    [Fact]
    public void TryWrite_MoreRangesThanFit_FlagMoreUntilAllAreNamedOnce()
    {
        const int Count = 1_500;
        TakeBegins();
        Assert.InRange(_writer.MaxRanges, 601, (Count / 2) - 1);
        Drop(0, Count);
        List<DroppedRange> named = [];
        List<PackFlags> flags = [];
        while (named.Count < Count)
        {
            _accounting.Heartbeat(0, UdpDropUnit.None);
            Said said = Take();
            Assert.Equal((ulong)Count, said.Totals.DroppedWindowFull);
            named.AddRange(said.Ranges);
            flags.Add(said.Flags);
            Assert.Equal(1, Take().Partition);
            Assert.Null(_accounting.TryWrite());
        }

        Assert.Equal([PackFlags.More, PackFlags.More, PackFlags.None], flags);
        Assert.Equal(RangesUpTo(Count), named);
    }

    [Fact]
    public void TryWrite_EndWithMoreRangesThanFit_EndIsSaidWhenAllAreNamed()
    {
        const int Count = 1_500;
        TakeBegins();
        Drop(0, Count);
        _accounting.End();

        // Partition 0 has two buffers; until one is free the end waits, and partition 1 ends meanwhile.
        PackBuffer[] buffers = [_accounting.TryWrite()!, _accounting.TryWrite()!];
        Said[] said = Array.ConvertAll(buffers, Read);
        Assert.All(said, each => Assert.Equal((0, PackFlags.More), (each.Partition, each.Flags)));
        Assert.DoesNotContain(buffers, buffer => buffer.IsEnd);
        Said other = Take();
        Assert.Equal((1, PackFlags.End), (other.Partition, other.Flags));
        Assert.Null(_accounting.TryWrite());
        Assert.False(_accounting.IsEnded);

        _accounting.GiveBack(buffers[0]);
        PackBuffer end = _accounting.TryWrite()!;
        Said last = Read(end);
        Assert.True(end.IsEnd && _accounting.IsEnded);
        Assert.Equal((0, PackFlags.End), (last.Partition, last.Flags));
        Assert.Equal(RangesUpTo(Count), said.SelectMany(each => each.Ranges).Concat(last.Ranges));

        _accounting.GiveBack(buffers[1]);
        _accounting.Heartbeat(0, UdpDropUnit.None);
        Assert.Null(_accounting.TryWrite());
    }

    [Fact]
    public void TryWrite_UnsaidRangesFillUp_DueWithoutAHeartbeat()
    {
        TakeBegins();
        Drop(1, KeyCounts.MaxUnsaidRanges / 2);
        Assert.Null(_accounting.TryWrite());
        Drop(1, 1);
        Said said = Take();
        Assert.Equal((1, PackFlags.More, _writer.MaxRanges), (said.Partition, said.Flags, said.Ranges.Length));
        Assert.Null(_accounting.TryWrite());
    }

    [Fact]
    public void EndAgain_EndDidNotArrive_SaidAgainOnce()
    {
        TakeBegins();
        _accounting.End();
        Assert.Equal((0, 1), (Take().Partition, Take().Partition));
        Assert.True(_accounting.IsEnded);
        _accounting.EndAgain(1);
        Assert.False(_accounting.IsEnded);
        Said again = Take();
        Assert.Equal((1, PackFlags.End), (again.Partition, again.Flags));
        Assert.Null(_accounting.TryWrite());
    }

    // Every second datagram, so that no two ranges touch.
    private static IEnumerable<DroppedRange> RangesUpTo(int count) => Enumerable.Range(0, count)
        .Select(i => new DroppedRange((ulong)(2 * i), 1, GatewayDropReason.WindowFull));

    private static Said Read(PackBuffer buffer)
    {
        Assert.True(buffer.IsAccounting);
        Assert.Equal(FormatFault.None, PackMessage.Read(buffer.Message.Span, out PackMessage message));
        Assert.Equal(FormatFault.None, AccountingMessage.Read(message, out AccountingMessage accounting));
        DroppedRange[] ranges = new DroppedRange[accounting.RangeCount];
        for (int i = 0; i < ranges.Length; i++) ranges[i] = accounting.Range(i);
        return new Said(message.Partition, message.Flags, accounting.Accepted, accounting.Totals, ranges);
    }

    private void Drop(int partition, int count)
    {
        KeyCounts key = _ledger[partition];
        for (int i = 0; i < count; i++)
        {
            ulong first = key.Next;
            key.Accept(first + 2);
            key.Drop(first, 1, GatewayDropReason.WindowFull);
        }
    }

    private void TakeBegins()
    {
        for (int i = 0; i < 2; i++) Assert.Equal(PackFlags.Begin, Take().Flags);
    }

    // Reads the next accounting message, which is confirmed at once.
    private Said Take()
    {
        PackBuffer? buffer = _accounting.TryWrite();
        Assert.NotNull(buffer);
        Said said = Read(buffer);
        _accounting.GiveBack(buffer);
        return said;
    }

    private sealed record Said(
        int Partition, PackFlags Flags, ulong Accepted, AccountingTotals Totals, DroppedRange[] Ranges);
}
