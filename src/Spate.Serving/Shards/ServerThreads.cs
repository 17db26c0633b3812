using Spate.Serving.Steering;
using Spate.Sockets;

namespace Spate.Serving.Shards;

/// <summary>
/// The threads of a server: starting, adding, taking away and ending them, in the order that loses nothing. One change
/// at a time; the server sees to that.
/// </summary>
internal sealed class ServerThreads
{
    /// <summary>
    /// What a thread opens besides its sockets: an epoll set, an eventfd, and two files that its handler may open.
    /// </summary>
    private const int DescriptorsPerThread = 4;

    private readonly ServerPlan _plan;
    private readonly ServerSockets _sockets;
    private readonly ThreadMaker _maker;
    private readonly FeederThread? _feeder;
    private readonly Lock _lock = new();
    private readonly List<ShardThread> _shards = [];
    private readonly List<ShardThread> _leftBehind = [];
    private readonly Dictionary<int, UdpThreadStatistics> _ended = [];
    private readonly TaskCompletionSource _fault = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _unhandled;

    public ServerThreads(ServerPlan plan, ServerSockets sockets)
    {
        _plan = plan;
        _sockets = sockets;
        _maker = new ThreadMaker(plan, sockets);
        _feeder = _maker.MakeFeeder();
    }

    /// <summary>Datagrams that were given to no handler, since the time to end was over.</summary>
    public long Unhandled => Volatile.Read(ref _unhandled) + _sockets.Unhandled;

    /// <summary>Indexes of the shards that were left behind and have not ended since.</summary>
    public int[] Stuck
    {
        get
        {
            lock (_lock) return [.. _leftBehind.Select(thread => thread.Shard.Index)];
        }
    }

    /// <summary>Faults with what ended a thread against its will; never ends otherwise.</summary>
    public Task Fault => _fault.Task;

    public UdpShard[] Shards
    {
        get
        {
            lock (_lock) return [.. _shards.Select(thread => thread.Shard)];
        }
    }

    /// <summary>Those that ended keep their place, before the one that has their index now.</summary>
    public UdpThreadStatistics[] Read()
    {
        lock (_lock)
        {
            Dictionary<int, UdpThreadStatistics> ended = new(_ended);
            foreach (ShardThread thread in _leftBehind) AddTo(ended, thread);
            IEnumerable<UdpThreadStatistics> threads = ended.Values
                .Concat(_shards.Select(thread => thread.Read()))
                .OrderBy(thread => thread.ShardIndex);
            if (_feeder is not null) threads = threads.Prepend(_feeder.Read());
            return [.. threads];
        }
    }

    /// <summary>Adds threads until there are so many; where one cannot start, all that were added go.</summary>
    /// <exception cref="OperationCanceledException">The server is being stopped, and ends what was added.</exception>
    public async Task GrowAsync(int threadCount, CancellationToken stopping)
    {
        RequireDescriptors(threadCount - _shards.Count, _sockets.SocketsPerThread);
        List<ShardThread> added = [];
        bool isStart = _shards.Count == 0;
        try
        {
            // Sockets are opened on the caller's thread and all of them before the first handler is made, which may
            // take its time.
            for (int index = _shards.Count; index < threadCount; index++) added.Add(_maker.MakeShard(index));
            RequireDescriptors(added.Count, socketsPerThread: 0);
            if (isStart) _sockets.Begin(threadCount);
            if (_feeder is not null && isStart)
                await StartAsync(_feeder, stopping).ConfigureAwait(false);
            foreach (ShardThread thread in added) await StartAsync(thread, stopping).ConfigureAwait(false);
        }
        catch
        {
            if (stopping.IsCancellationRequested)
            {
                lock (_lock) _shards.AddRange(added.Where(thread => thread.HasStarted));
                throw;
            }

            using EndTime now = new();
            now.BringForward(TimeSpan.Zero);
            ShardThread[] started = [.. added.Where(thread => thread.HasStarted)];
            foreach (ShardThread thread in started) thread.End(now);
            await EndedAsync(started, now.PatienceIsOver).ConfigureAwait(false);
            ShardThread[] stuck = LeaveBehind(started);
            lock (_lock)
            {
                foreach (ShardThread thread in started.Except(stuck)) AddTo(_ended, thread);
            }

            if (!_plan.Traits.SharesSocket) _sockets.CloseAfter(_shards.Count);
            throw;
        }

        lock (_lock) _shards.AddRange(added);
        _plan.ThreadCount = threadCount;
        _maker.FitBatches();
        if (!isStart) _sockets.Steer(threadCount);
    }

    /// <summary>
    /// Threads of the highest index end, each with what its own socket has queued; what a shared one has queued is the
    /// others'. A handler that does not return in time is left behind.
    /// </summary>
    /// <exception cref="OperationCanceledException">
    /// The server is being stopped, and ends these threads too.
    /// </exception>
    public async Task ShrinkAsync(int threadCount, EndTime end, CancellationToken stopping)
    {
        ShardThread[] leaving = [.. _shards.Skip(threadCount)];
        bool haveOwn = !_plan.Traits.SharesSocket;
        if (haveOwn)
        {
            _sockets.Steer(threadCount);
            KernelGrace.Wait();
        }

        foreach (ShardThread thread in leaving)
        {
            UdpSocket[] own = haveOwn ? _sockets.Of(thread.Shard.Index) : [];
            thread.End(end, drains: haveOwn, haveOwn ? () => Retire([thread], own) : null);
        }

        using (var either = CancellationTokenSource.CreateLinkedTokenSource(end.PatienceIsOver, stopping))
            await EndedAsync(leaving, either.Token).ConfigureAwait(false);
        stopping.ThrowIfCancellationRequested();
        ShardThread[] stuck = LeaveBehind(leaving);
        if (haveOwn)
        {
            if (stuck.Length > 0) Retire(stuck, [.. stuck.SelectMany(thread => _sockets.Of(thread.Shard.Index))]);
            foreach (ShardThread thread in stuck) _sockets.CountLeftBehind(_sockets.Of(thread.Shard.Index));
            _sockets.CloseAfter(threadCount);
        }

        lock (_lock)
        {
            foreach (ShardThread thread in leaving)
            {
                if (_shards.Remove(thread)) AddTo(_ended, thread);
            }
        }

        _plan.ThreadCount = threadCount;
    }

    /// <summary>All end: first who receives, then who handles what was received.</summary>
    public async Task EndAsync(EndTime end)
    {
        _sockets.RefuseArrivals();
        if (!end.IsDrainOver) KernelGrace.Wait();
        if (_feeder is { HasStarted: true })
        {
            // It runs nobody else's code, so it always ends.
            _feeder.End(end);
            await EndedAsync([_feeder], CancellationToken.None).ConfigureAwait(false);
        }

        foreach (ShardThread thread in _shards) thread.End(end);
        await EndedAsync(_shards, end.PatienceIsOver).ConfigureAwait(false);
        ShardThread[] stuck = LeaveBehind([.. _shards]);
        if (_feeder is not null) Volatile.Write(ref _unhandled, _feeder.Release());
        else if (!_plan.Traits.SharesSocket)
            foreach (ShardThread thread in stuck) _sockets.CountLeftBehind(_sockets.Of(thread.Shard.Index));
        else if (!_shards.Exists(thread => thread.HasDrained)) _sockets.CountUnhandled();
        _sockets.Dispose();
    }

    // Asked before the sockets open, and once more afterwards, since some of them open more than themselves.
    private static void RequireDescriptors(int threadCount, int socketsPerThread) =>
        DescriptorLimit.Require(threadCount * (DescriptorsPerThread + socketsPerThread));

    // Those that have not ended, which nobody can make end. Should a handler return after all, its thread ends at once,
    // with sockets that others use or that are closed.
    private ShardThread[] LeaveBehind(ShardThread[] threads)
    {
        ShardThread[] stuck;
        lock (_lock)
        {
            stuck = [.. threads.Where(thread => !thread.Ended.IsCompleted)];
            _leftBehind.AddRange(stuck);
            _shards.RemoveAll(stuck.Contains);
        }

        foreach (ShardThread thread in stuck) thread.Abandon();
        return stuck;
    }

    // What they still have to answer leaves by the first shard's sockets, of the same addresses and ports.
    private void Retire(ShardThread[] threads, UdpSocket[] sockets)
    {
        foreach (ShardThread thread in threads) thread.SendBy(_sockets.Of(0));
        ServerSockets.Hide(sockets);
    }

    private async Task StartAsync(ServerThread thread, CancellationToken stopping)
    {
        thread.Start();
        _ = thread.Ended.ContinueWith(
            _ => OnEnded(thread),
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        await EndedAsync(thread.Started, stopping).ConfigureAwait(false);
        stopping.ThrowIfCancellationRequested();
        await thread.Started.ConfigureAwait(false);
    }

    // A thread that was left behind is none of the server's: only what it did counts.
    private void OnEnded(ServerThread thread)
    {
        lock (_lock)
        {
            if (thread is ShardThread shard && _leftBehind.Remove(shard))
            {
                AddTo(_ended, shard);
                return;
            }
        }

        // One that could not start has told whoever started it.
        if (thread.Started.IsCompletedSuccessfully && thread.Ended.Exception is { } fault)
            _fault.TrySetException(fault.InnerExceptions);
    }

    // Of the thread itself nothing is kept: its batches are large.
    private static void AddTo(Dictionary<int, UdpThreadStatistics> ended, ShardThread thread)
    {
        UdpThreadStatistics statistics = thread.Read();
        int index = thread.Shard.Index;
        ended[index] = ended.TryGetValue(index, out UdpThreadStatistics earlier)
            ? ThreadTally.Add(earlier, statistics)
            : statistics;
    }

    // What a thread ends with is told by Fault; here only its end matters.
    private static Task EndedAsync(IEnumerable<ServerThread> threads, CancellationToken patience) =>
        EndedAsync(Task.WhenAll(threads.Select(thread => thread.Ended)), patience);

    private static async Task EndedAsync(Task task, CancellationToken patience) =>
        await task.WaitAsync(patience).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
}
