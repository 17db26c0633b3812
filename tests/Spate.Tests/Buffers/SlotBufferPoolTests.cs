using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Spate.Buffers;

namespace Spate.Tests.Buffers;

public sealed class SlotBufferPoolTests
{
    [Fact]
    public void Return_MoreThanAreKept_TheRestIsLeftToTheCollector()
    {
        const int Most = 8;
        var pool = new SlotBufferPool(slotBytes: 64, maxSpareCount: Most);
        HashSet<SlotBuffer> used = [.. Enumerable.Range(0, 3 * Most).Select(_ => pool.Rent())];
        foreach (SlotBuffer buffer in used) pool.Return(buffer);

        // One is taken, so that the others are the taker's; what comes back then counts with them.
        SlotBuffer one = pool.Rent();
        Assert.True(used.Remove(one));
        pool.Return(one);
        for (int i = 0; i < Most; i++) pool.Return(new SlotBuffer(pool, 64));
        used.Add(one);

        Assert.Equal(Most, Enumerable.Range(0, 4 * Most).Count(_ => used.Remove(pool.Rent())));
    }

    [Fact]
    public void Rent_CountWasWrong_WhatComesBackIsKeptAllTheSame()
    {
        var pool = new SlotBufferPool(slotBytes: 64, maxSpareCount: 2);
        SlotBuffer buffer = pool.Rent();
        pool.Return(buffer);

        // As a thread leaves it that read the count of a first one which then was taken and came back.
        buffer.ReturnedCount = 5;

        Assert.Same(buffer, pool.Rent());
        pool.Return(buffer);
        Assert.Same(buffer, pool.Rent());
    }

    [Fact]
    public void Return_TwoThreadsAtOnce_NoneIsLost()
    {
        const int Half = 2000;
        int rounds = TestWidth.Of(20, full: 100);
        var pool = new SlotBufferPool(slotBytes: 1, maxSpareCount: 2 * Half);
        HashSet<SlotBuffer> all = [.. Enumerable.Range(0, 2 * Half).Select(_ => pool.Rent())];
        SlotBuffer[] taken = [.. all];
        using var barrier = new Barrier(3);
        CancellationToken stop = TestContext.Current.CancellationToken;
        Thread[] givers = [.. Enumerable.Range(0, 2).Select(MakeGiver)];
        foreach (Thread giver in givers) giver.Start();
        int wrongRound = -1;
        for (int round = 0; round < rounds; round++)
        {
            barrier.SignalAndWait(stop);
            barrier.SignalAndWait(stop);
            for (int i = 0; i < taken.Length; i++) taken[i] = pool.Rent();
            if (!all.SetEquals(taken)) wrongRound = round;
        }

        foreach (Thread giver in givers) giver.Join();
        Assert.True(wrongRound == -1, $"In round {wrongRound} a buffer was lost or came twice.");

        Thread MakeGiver(int index) => new(() => GiveBack(index)) { IsBackground = true };

        void GiveBack(int index)
        {
            // On CPUs of their own where that may be had: on one they would hardly ever meet.
            ThreadAffinity.TrySetCurrentThreadCpus([index], out _);
            for (int round = 0; round < rounds; round++)
            {
                barrier.SignalAndWait();
                for (int i = index * Half; i < (index + 1) * Half; i++) pool.Return(taken[i]);
                barrier.SignalAndWait();
            }
        }
    }

    [Fact]
    public async Task Rent_ManyGiveBackMeanwhile_NoneComesTwiceAndNoneIsLost()
    {
        // Of what comes back just when the rest is taken, both counts may be told, so twice as many as there are must
        // not reach the limit.
        const int BufferCount = 64, RentCount = 200_000;
        var pool = new SlotBufferPool(slotBytes: 1, maxSpareCount: 4 * BufferCount);
        using var used = new BlockingCollection<SlotBuffer>(BufferCount);
        CancellationToken stop = TestContext.Current.CancellationToken;
        Task[] givers = [.. Enumerable.Range(0, 3).Select(_ => Task.Run(GiveBack, stop))];
        HashSet<SlotBuffer> seen = [];
        for (int i = 0; i < RentCount; i++)
        {
            SlotBuffer buffer = pool.Rent();
            seen.Add(buffer);
            Assert.False(buffer.IsShared, "The buffer is in use.");
            buffer.AddRef();
            buffer.Release();
            used.Add(buffer, stop);
        }

        used.CompleteAdding();
        await Task.WhenAll(givers);

        // Those under way at once: in the queue, in the hands of the givers and of the taker.
        Assert.InRange(seen.Count, 1, BufferCount + 4);

        void GiveBack()
        {
            foreach (SlotBuffer buffer in used.GetConsumingEnumerable(stop)) buffer.Release();
        }
    }

    [Fact]
    public void Release_WhileTheBatchLendsTheBufferAnew_DoesNotGiveItBack()
    {
        // More threads than CPUs, so that some are held up amid letting go.
        Lending[] lendings = [.. Enumerable.Range(0, 2 * Environment.ProcessorCount).Select(_ => new Lending())];
        Thread[] threads = [.. lendings.SelectMany(static lending => new[]
        {
            new Thread(lending.Lend) { IsBackground = true },
            new Thread(lending.GiveBack) { IsBackground = true },
        })];
        foreach (Thread thread in threads) thread.Start();
        foreach (Thread thread in threads) thread.Join();

        Assert.Equal(0, lendings.Sum(static lending => lending.WrongCount));
    }

    /// <summary>A batch that lends its buffer twice, and a thread that gives back what was lent first.</summary>
    private sealed class Lending
    {
        private static readonly int Rounds = TestWidth.Of(10_000, full: 50_000);

        private readonly SlotBufferPool _pool = new(slotBytes: 1, maxSpareCount: 4);
        private SlotBuffer? _lent;
        private bool _ended;

        public int WrongCount { get; private set; }

        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        public void Lend()
        {
            for (int round = 0; round < Rounds; round++)
            {
                var buffer = new SlotBuffer(_pool, slotBytes: 1);
                buffer.AddRef();
                Volatile.Write(ref _lent, buffer);

                // The first moment at which nobody seems to have it: the giver is still amid letting go. Without the
                // pauses of a SpinWait, after which that is over.
                for (int turn = 0; buffer.IsShared; turn++) YieldAtTimes(turn);
                buffer.AddRef();
                buffer.Release();
                for (int turn = 0; Volatile.Read(ref _lent) is not null; turn++) YieldAtTimes(turn);
                SlotBuffer other = _pool.Rent();
                if (ReferenceEquals(other, buffer)) WrongCount++;
            }

            Volatile.Write(ref _ended, true);
        }

        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        public void GiveBack()
        {
            for (int turn = 0; !Volatile.Read(ref _ended); turn++)
            {
                if (Volatile.Read(ref _lent) is { } held)
                {
                    held.Release();
                    Volatile.Write(ref _lent, null);
                }

                YieldAtTimes(turn);
            }
        }

        private static void YieldAtTimes(int turn)
        {
            if ((turn & 0xFFFF) == 0xFFFF) Thread.Yield();
        }
    }
}
