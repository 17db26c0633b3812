using System.Globalization;
using Spate.Serving.Shards;
using Spate.Serving.Threading;
using Spate.Tests.Waiting;
using Spate.Waiting;

namespace Spate.Tests.Serving.Threading;

/// <summary>Which threads are awake, and that work never waits while all threads sleep.</summary>
public sealed class ActiveThreadsTests
{
    private const int PassCount = 20_000;

    [Fact]
    public void TryBeginPark_LastOneAwake_StaysWhereOneMust()
    {
        ActiveThreads active = new(10);
        using ThreadWaiter first = new(new TestEventSet()), second = new(new TestEventSet());
        active.Join();
        active.Join();
        Assert.True(active.TryBeginPark(first, keepsOneAwake: true));
        Assert.False(active.TryBeginPark(second, keepsOneAwake: true));
        Assert.Equal(1, active.AwakeCount);
        Assert.True(active.TryBeginPark(second, keepsOneAwake: false));
        Assert.Equal(0, active.AwakeCount);
        active.EndPark(first);
        active.EndPark(second);
        Assert.Equal(2, active.AwakeCount);
    }

    [Fact]
    public void OnBacklog_FromTheThreshold_WakesWhoParkedLast()
    {
        ActiveThreads active = new(10);
        using ThreadWaiter first = new(new TestEventSet()), second = new(new TestEventSet());
        foreach (ThreadWaiter waiter in new[] { first, second })
        {
            active.Join();
            Assert.True(active.TryBeginPark(waiter, keepsOneAwake: false));
        }

        active.OnBacklog(9);
        Assert.Equal(0, active.AwakeCount);
        active.OnBacklog(10);
        Assert.Equal(1, active.AwakeCount);
        second.Sleep(-1, forSockets: false);
        active.Leave();
        Assert.Equal(1, active.AwakeCount);
        first.Sleep(-1, forSockets: false);
    }

    [Fact]
    public void OnEmpty_ParksWhileItSpins_DoesNotCountAsSpinning()
    {
        FakeTime time = new();
        SpinLimit limit = new(cpuCount: 2, maxCount: 1);
        ActiveThreads active = new(10);
        bool othersMaySpin = false;
        using ThreadWaiter other = new(new TestEventSet());
        active.Join();
        using SocketSource source = new(
            [], batch: null, new ThreadWaiter(new TestEventSet(() => othersMaySpin = limit.TryEnter())),
            new AdaptiveSpinner(time, limit), active);
        for (int i = 0; i < 3; i++)
        {
            time.Advance(TimeSpan.FromMicroseconds(1));
            source.OnArrival(1);
        }

        Assert.True(active.TryBeginPark(other, keepsOneAwake: true));
        Assert.True(source.OnEmpty(1), "It is the last one awake, and datagrams came quickly.");
        Assert.False(limit.TryEnter());
        active.EndPark(other);
        Assert.False(source.OnEmpty(1));
        Assert.Equal(1, source.Sleeps);
        Assert.True(othersMaySpin, "A thread that is parked keeps others from spinning.");
    }

    [Fact]
    public void OnBacklog_WhileAWokenThreadHasNotRun_WakesNobodyElse()
    {
        var active = new ActiveThreads(wakeThreshold: 64);
        using var first = new ParkedThread(active);
        using var second = new ParkedThread(active);

        active.OnBacklog(63);
        Assert.Equal(0, active.AwakeCount);
        active.OnBacklog(64);
        active.OnBacklog(64);
        Assert.Equal(1, active.AwakeCount);

        Assert.True(second.IsSignalled);
        second.LetRun();
        active.OnBacklog(64);
        Assert.Equal(2, active.AwakeCount);
        first.LetRun();
    }

    [Fact]
    public void WakeOne_WhileAWokenThreadHasNotRun_WakesAnother()
    {
        var active = new ActiveThreads(wakeThreshold: 64);
        using var first = new ParkedThread(active);
        using var second = new ParkedThread(active);

        active.WakeOne();
        active.WakeOne();

        Assert.Equal(2, active.AwakeCount);
        first.LetRun();
        second.LetRun();
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(3, 4)]
    [InlineData(4, 2)]
    public void BatchQueue_RandomLoad_NoBatchIsLostOrTakenTwice(int workerCount, int batchCount)
    {
        Random random = NewRandom();
        ActiveThreads active = new(1 << 20);
        using ThreadWaiter reader = UdpSocket.CreateWaiter([]);
        BatchQueue queue = new(active, reader);
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        ReceivedBatch[] batches =
        [
            .. Enumerable.Range(0, batchCount).Select(_ => new ReceivedBatch(socket.CreateReceiveBatch(
                new ReceiveBatchOptions { SlotCount = 1 }))),
        ];
        int[] holders = new int[batchCount];
        int taken = 0, twice = 0;
        bool isOver = false;
        WorkerSource[] sources =
        [
            .. Enumerable.Range(0, workerCount).Select(
                _ => new WorkerSource(queue, UdpSocket.CreateWaiter([]), active)),
        ];
        Thread[] workers = [.. sources.Select((source, index) => new Thread(() => Work(source, new Random(index))))];
        foreach (ReceivedBatch batch in batches) queue.GiveBack(batch);
        Array.ForEach(workers, worker => worker.Start());
        ReceivedBatch? free = null;
        for (int pass = 0; pass < PassCount;)
        {
            free ??= queue.TakeReturned();
            if (free is null)
            {
                queue.NoteStarving();
                free = queue.TakeReturned();
                if (free is null) reader.Sleep(-1, forSockets: false);
                continue;
            }

            ReceivedBatch next = free;
            free = next.Next;
            queue.Push(next);
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
                ReceivedBatch? batch = source.Take(-1);
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

    /// <summary>A thread that parks, and once woken runs only when it is let.</summary>
    private sealed class ParkedThread : IDisposable
    {
        private readonly ManualResetEventSlim _parked = new();
        private readonly ManualResetEventSlim _held = new();
        private readonly TestEventSet _set;
        private readonly ThreadWaiter _waiter;
        private readonly Thread _thread;

        public ParkedThread(ActiveThreads active)
        {
            _set = new TestEventSet(() =>
            {
                _parked.Set();
                _held.Wait(ServerCase.Patience);
            })
            { ReturnsAtOnce = true };
            _waiter = new ThreadWaiter(_set);
            active.Join();
            _thread = new Thread(() =>
            {
                active.TryBeginPark(_waiter, keepsOneAwake: false);
                _waiter.Sleep(-1, forSockets: false);
                active.EndPark(_waiter);
            })
            {
                IsBackground = true,
            };
            _thread.Start();
            Assert.True(_parked.Wait(ServerCase.Patience));
        }

        public bool IsSignalled => _set.SignalCount > 0;

        public void LetRun()
        {
            _held.Set();
            Assert.True(_thread.Join(ServerCase.Patience));
        }

        public void Dispose()
        {
            _held.Set();
            _waiter.Dispose();
        }
    }
}
