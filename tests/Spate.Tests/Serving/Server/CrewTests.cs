using System.Globalization;
using Spate.Serving.Shards;
using Spate.Waiting;

namespace Spate.Tests.Serving.Server;

/// <summary>Who is awake, and that work never waits with everybody asleep.</summary>
public sealed class CrewTests
{
    private const int PassCount = 20_000;

    [Fact]
    public void TryBeginPark_LastOneAwake_StaysWhereOneMust()
    {
        Crew crew = new(10);
        using TestWaiter first = new(), second = new();
        crew.Join();
        crew.Join();
        Assert.True(crew.TryBeginPark(first, keepsOneAwake: true));
        Assert.False(crew.TryBeginPark(second, keepsOneAwake: true));
        Assert.Equal(1, crew.AwakeCount);
        Assert.True(crew.TryBeginPark(second, keepsOneAwake: false));
        Assert.Equal(0, crew.AwakeCount);
        crew.EndPark(first);
        crew.EndPark(first);
        crew.EndPark(second);
        Assert.Equal(2, crew.AwakeCount);
    }

    [Fact]
    public void OnBacklog_FromTheThreshold_WakesWhoParkedLast()
    {
        Crew crew = new(10);
        using TestWaiter first = new(), second = new();
        foreach (TestWaiter waiter in new[] { first, second })
        {
            crew.Join();
            Assert.True(crew.TryBeginPark(waiter, keepsOneAwake: false));
        }

        crew.OnBacklog(9);
        Assert.Equal(0, crew.AwakeCount);
        crew.OnBacklog(10);
        Assert.Equal(1, crew.AwakeCount);
        second.Sleep(-1, forSockets: false);
        crew.Leave();
        Assert.Equal(1, crew.AwakeCount);
        first.Sleep(-1, forSockets: false);
    }

    [Fact]
    public void CrewWait_ParksWhileItSpins_DoesNotCountAsSpinning()
    {
        FakeTime time = new();
        SpinLimit limit = new(2);
        Crew crew = new(10);
        bool othersMaySpin = false;
        using TestWaiter other = new();
        using TestWaiter own = new(() => othersMaySpin = limit.TryEnter());
        crew.Join();
        crew.Join();
        CrewWait wait = new(crew, new AdaptiveWait(own, time, limit), own);
        for (int i = 0; i < 3; i++)
        {
            time.Advance(TimeSpan.FromMicroseconds(1));
            wait.OnArrival(1);
        }

        Assert.True(crew.TryBeginPark(other, keepsOneAwake: true));
        Assert.True(wait.OnEmpty(1), "It is the last one awake, and datagrams came quickly.");
        Assert.False(limit.TryEnter());
        crew.EndPark(other);
        Assert.False(wait.OnEmpty(1));
        Assert.Equal(1, own.Sleeps);
        Assert.True(othersMaySpin, "A thread that is parked keeps others from spinning.");
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(3, 4)]
    [InlineData(4, 2)]
    public void Handover_RandomLoad_NoBatchIsLostOrHeldTwice(int workerCount, int batchCount)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "epoll is Linux's.");
        Random random = NewRandom();
        Crew crew = new(1 << 20);
        using EpollWaiter feeder = new([]);
        Handover handover = new(crew, feeder);
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        FilledBatch[] batches =
        [
            .. Enumerable.Range(0, batchCount).Select(_ => new FilledBatch(socket.CreateReceiveBatch(
                new ReceiveBatchOptions { SlotCount = 1 }))),
        ];
        int[] holders = new int[batchCount];
        int taken = 0, twice = 0;
        bool isOver = false;
        WorkerSource[] sources =
            [.. Enumerable.Range(0, workerCount).Select(_ => new WorkerSource(handover, crew, new EpollWaiter([])))];
        Thread[] workers = [.. sources.Select((source, index) => new Thread(() => Work(source, new Random(index))))];
        foreach (FilledBatch batch in batches) handover.GiveBack(batch);
        Array.ForEach(workers, worker => worker.Start());
        FilledBatch? free = null;
        for (int pass = 0; pass < PassCount;)
        {
            free ??= handover.TakeReturned();
            if (free is null)
            {
                handover.NoteStarving();
                free = handover.TakeReturned();
                if (free is null) feeder.Sleep(-1, forSockets: false);
                continue;
            }

            FilledBatch next = free;
            free = next.Next;
            handover.Push(next);
            pass++;
            if (random.Next(8) == 0) Thread.SpinWait(random.Next(2_000));
        }

        bool allTaken = SpinWait.SpinUntil(() => Volatile.Read(ref taken) == PassCount, ServerCase.Patience);
        Volatile.Write(ref isOver, true);
        foreach (WorkerSource source in sources) source.Wake();
        Assert.All(workers, worker => Assert.True(worker.Join(ServerCase.Patience)));
        Assert.True(allTaken, $"{taken} of {PassCount} were taken.");
        Assert.Equal(0, twice);

        void Work(WorkerSource source, Random pause)
        {
            while (!Volatile.Read(ref isOver))
            {
                FilledBatch? batch = source.Take(-1);
                if (batch is null) continue;
                int index = Array.IndexOf(batches, batch);
                if (Interlocked.Exchange(ref holders[index], 1) != 0) Interlocked.Increment(ref twice);
                if (pause.Next(8) == 0) Thread.SpinWait(pause.Next(2_000));
                Volatile.Write(ref holders[index], 0);
                Interlocked.Increment(ref taken);
                source.GiveBack(batch);
            }

            source.Dispose();
        }
    }

    private static Random NewRandom()
    {
        string? given = Environment.GetEnvironmentVariable("SPATE_SEED");
        int seed = given is null ? Random.Shared.Next() : int.Parse(given, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        return new Random(seed);
    }
}
