using System.Collections.Concurrent;
using Spate.Buffers;

namespace Spate.Tests.Buffers;

/// <summary>Free entries of leases, which all threads of the process share, so no other test may take any.</summary>
[ProcessWide("all threads of the process share the free entries")]
public sealed class LeaseEntryCacheTests
{
    private const int LeaseCount = 8 * LeaseEntryCache.ChainCount;

    [Fact]
    public void Rent_EndedByAnotherThread_NothingIsAllocatedFromThenOn()
    {
        SlotBuffer buffer = new SlotBufferPool(slotBytes: 64, maxSpareCount: 1).Rent();
        var entries = new LeaseEntry[LeaseCount];
        int[] versions = new int[LeaseCount];
        long takerBytes = 0, enderBytes = 0;
        RunInTurns(
            50,
            round =>
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                for (int i = 0; i < LeaseCount; i++) entries[i] = LeaseEntry.Rent(buffer, out versions[i]);
                if (round >= 3) takerBytes += GC.GetAllocatedBytesForCurrentThread() - before;
            },
            round =>
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                for (int i = 0; i < LeaseCount; i++) entries[i].End(versions[i]);
                if (round >= 3) enderBytes += GC.GetAllocatedBytesForCurrentThread() - before;
            });

        Assert.Equal((0, 0), (takerBytes, enderBytes));
        Assert.False(buffer.IsShared);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(LeaseEntryCache.ChainCount)]
    [InlineData(LeaseEntryCache.ChainCount + 1)]
    [InlineData((2 * LeaseEntryCache.ChainCount) + 1)]
    [InlineData(LeaseCount)]
    public void Take_SoManyPutBefore_EachComesOnceAndAlone(int count)
    {
        var cache = new LeaseEntryCache();
        HashSet<LeaseEntry> put = [.. Enumerable.Range(0, count).Select(_ => new LeaseEntry())];
        foreach (LeaseEntry entry in put) cache.Put(entry);

        for (int left = count; left > 0; left--)
        {
            LeaseEntry taken = cache.Take();
            Assert.True(put.Remove(taken), $"An entry came twice, or a new one while {left} were free.");
            Assert.Equal((null, null), (taken.NextFree, taken.NextChain));
        }
    }

    [Fact]
    public void Put_MoreThanAnybodyNeeds_TheRestIsLeftToTheCollector()
    {
        const int Count = 100 * LeaseEntryCache.ChainCount;
        var cache = new LeaseEntryCache();
        HashSet<LeaseEntry> put = [.. Enumerable.Range(0, Count).Select(_ => new LeaseEntry())];
        foreach (LeaseEntry entry in put) cache.Put(entry);

        int kept = Enumerable.Range(0, 2 * Count).Count(_ => put.Remove(cache.Take()));

        Assert.InRange(kept, 1, (64 + 2) * LeaseEntryCache.ChainCount);
    }

    [Fact]
    public async Task Rent_ThreadsTakeAndEndEachOthers_NobodyGetsWhatIsInUse()
    {
        const int PerThread = 30_000;
        using var ended = new BlockingCollection<(LeaseEntry Entry, int Version, SlotBuffer Buffer)>(300);
        CancellationToken stop = TestContext.Current.CancellationToken;
        Task[] takers = [.. Enumerable.Range(0, 2).Select(_ => Task.Run(Take, stop))];
        Task[] enders = [.. Enumerable.Range(0, 2).Select(_ => Task.Run(End, stop))];
        await Task.WhenAll(takers);
        ended.CompleteAdding();
        await Task.WhenAll(enders);

        void Take()
        {
            var pool = new SlotBufferPool(slotBytes: 64, maxSpareCount: 1);
            for (int i = 0; i < PerThread; i++)
            {
                // Every lease has a buffer of its own, by which it is known.
                SlotBuffer buffer = pool.Rent();
                LeaseEntry entry = LeaseEntry.Rent(buffer, out int version);
                if (i % 3 == 0) Check(entry, version, buffer);
                else ended.Add((entry, version, buffer), stop);
            }
        }

        void End()
        {
            foreach ((LeaseEntry entry, int version, SlotBuffer buffer) in ended.GetConsumingEnumerable(stop))
                Check(entry, version, buffer);
        }
    }

    private static void Check(LeaseEntry entry, int version, SlotBuffer buffer)
    {
        Assert.Same(buffer.Array, entry.ArrayOf(version));
        entry.End(version);
        Assert.Null(entry.ArrayOf(version));
        entry.End(version);
        Assert.False(buffer.IsShared);
    }

    // Two threads, first one and then the other, so that what one frees the other needs.
    private static void RunInTurns(int rounds, Action<int> first, Action<int> second)
    {
        using var barrier = new Barrier(2);
        var other = new Thread(() =>
        {
            for (int round = 0; round < rounds; round++)
            {
                barrier.SignalAndWait();
                second(round);
                barrier.SignalAndWait();
            }
        });
        other.Start();
        for (int round = 0; round < rounds; round++)
        {
            first(round);
            barrier.SignalAndWait();
            barrier.SignalAndWait();
        }

        other.Join();
    }
}
