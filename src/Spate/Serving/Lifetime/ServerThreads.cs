using System.Runtime.ExceptionServices;
using Spate.Serving.Shards;
using Spate.Serving.Steering;
using Spate.Serving.Threading;
using Spate.Sockets;

namespace Spate.Serving.Lifetime;

/// <summary>
/// Starts, adds, takes away and ends the threads of a server, in an order that loses no datagram. The server makes one
/// change at a time.
/// </summary>
internal sealed partial class ServerThreads
{
    /// <summary>
    /// The number of file descriptors that a thread may need in addition to those of its sockets: an epoll set, an
    /// eventfd, and two files that its handler opens.
    /// </summary>
    private const int DescriptorsPerThread = 4;

    private readonly ResolvedServerOptions _plan;
    private readonly ServerSockets _sockets;
    private readonly ThreadFactory _factory;
    private readonly ReaderThread? _reader;
    private readonly Lock _lock = new();
    private readonly List<ShardThread> _shards = [];
    private readonly List<ShardThread> _leftBehind = [];
    private readonly Dictionary<int, UdpThreadStatistics> _ended = [];
    private readonly TaskCompletionSource _fault = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _unhandled;

    public ServerThreads(ResolvedServerOptions plan, ServerSockets sockets)
    {
        _plan = plan;
        _sockets = sockets;
        _factory = new ThreadFactory(plan, sockets);
        _reader = _factory.MakeReader();
    }

    /// <summary>The number of datagrams that no handler got before the drain timeout.</summary>
    public long Unhandled => Volatile.Read(ref _unhandled) + _sockets.Unhandled;

    /// <summary>The indexes of the abandoned shards whose threads have not ended yet.</summary>
    public int[] Stuck
    {
        get
        {
            lock (_lock) return [.. _leftBehind.Select(thread => thread.Shard.Index)];
        }
    }

    /// <summary>
    /// A task that fails with the exception that ended a thread. Until an exception ends a thread, the task does not
    /// complete.
    /// </summary>
    public Task Fault => _fault.Task;

    public UdpShard[] Shards
    {
        get
        {
            lock (_lock) return [.. _shards.Select(thread => thread.Shard)];
        }
    }

    /// <summary>
    /// Reads the counts of all threads, ordered by index, with the reader first. All ended threads of an index share
    /// one entry, which comes before the entry of the present thread with that index.
    /// </summary>
    public UdpThreadStatistics[] Read()
    {
        lock (_lock)
        {
            Dictionary<int, UdpThreadStatistics> ended = new(_ended);
            foreach (ShardThread thread in _leftBehind) AddTo(ended, thread);
            IEnumerable<UdpThreadStatistics> threads = ended.Values
                .Concat(_shards.Select(thread => thread.Read()))
                .OrderBy(thread => thread.ShardIndex);
            if (_reader is not null) threads = threads.Prepend(_reader.Read());
            return [.. threads];
        }
    }

    /// <summary>
    /// Starts the server's first threads and waits until all of them run. If a thread fails to start, all threads end
    /// again, and this method throws the exception of that thread.
    /// </summary>
    public void Start(int threadCount)
    {
        List<ShardThread> added = [];
        try
        {
            MakeShards(threadCount, added);
            _sockets.Begin(threadCount);
            if (_reader is not null) StartAndWait(_reader);
            foreach (ShardThread thread in added) StartAndWait(thread);
        }
        catch
        {
            _shards.AddRange(added.Where(thread => thread.HasStarted));
            using StopDeadline now = new();
            now.BringForward(TimeSpan.Zero);
            End(now);
            throw;
        }

        Keep(added, threadCount);
    }

    /// <summary>
    /// Adds threads until there are <paramref name="threadCount"/>. If one cannot start, all added threads end again.
    /// </summary>
    /// <param name="threadCount">The new number of threads, greater than the present number.</param>
    /// <param name="stopping">Cancelled when the server is stopped. The stop then ends the added threads too.</param>
    /// <param name="cancellationToken">Cancelling ends the added threads again.</param>
    /// <exception cref="OperationCanceledException">One of the two tokens was cancelled.</exception>
    public async Task GrowAsync(int threadCount, CancellationToken stopping, CancellationToken cancellationToken)
    {
        List<ShardThread> added = [];
        try
        {
            MakeShards(threadCount, added);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(stopping, cancellationToken);
            foreach (ShardThread thread in added)
            {
                Begin(thread);
                await WhenAsync(thread.Started, either.Token).ConfigureAwait(false);
                stopping.ThrowIfCancellationRequested();
                cancellationToken.ThrowIfCancellationRequested();
                await thread.Started.ConfigureAwait(false);
            }
        }
        catch
        {
            ShardThread[] started = [.. added.Where(thread => thread.HasStarted)];
            if (stopping.IsCancellationRequested)
            {
                lock (_lock) _shards.AddRange(started);
                throw;
            }

            await TakeBackAsync(started).ConfigureAwait(false);
            throw;
        }

        Keep(added, threadCount);
        _factory.FitBatches();
        _sockets.Steer(threadCount);
    }

    /// <summary>
    /// Ends the threads with the highest indexes, so that <paramref name="threadCount"/> threads are left. Each thread
    /// first handles the queued datagrams of its own sockets. If the sockets are shared, the threads that are left
    /// handle the queued datagrams. A thread whose handler does not return in time is abandoned.
    /// </summary>
    /// <exception cref="OperationCanceledException">
    /// The server is being stopped. The stop ends these threads too.
    /// </exception>
    public async Task ShrinkAsync(int threadCount, StopDeadline end, CancellationToken stopping)
    {
        ShardThread[] leaving = [.. _shards.Skip(threadCount)];
        bool haveOwn = !_plan.Traits.SharesSocket;
        if (haveOwn)
        {
            _sockets.Steer(threadCount);
            await Task.Run(RcuGracePeriod.Wait, CancellationToken.None).ConfigureAwait(false);
        }

        foreach (ShardThread thread in leaving)
        {
            UdpSocket[] own = haveOwn ? _sockets.Of(thread.Shard.Index) : [];
            thread.End(end, drains: haveOwn, haveOwn ? () => Retire([thread], own) : null);
        }

        using (var either = CancellationTokenSource.CreateLinkedTokenSource(end.WaitIsOver, stopping))
            await WhenEndedAsync(leaving, either.Token).ConfigureAwait(false);
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

    private static void RequireDescriptors(int threadCount, int socketsPerThread) =>
        DescriptorLimit.Require(threadCount * (DescriptorsPerThread + socketsPerThread));

    // Adds the counts of a thread to those of earlier threads with the same index. Only the counts of an ended thread
    // are kept and not the thread object, because its batches use much memory.
    private static void AddTo(Dictionary<int, UdpThreadStatistics> ended, ShardThread thread)
    {
        UdpThreadStatistics statistics = thread.Read();
        int index = thread.Shard.Index;
        ended[index] = ended.TryGetValue(index, out UdpThreadStatistics earlier)
            ? ThreadCounters.Add(earlier, statistics)
            : statistics;
    }

    // Makes the new threads and opens their sockets. All sockets are opened before the first handler is made. So the
    // exception for a port in use comes at once, even if making a handler takes long. The limit of open files is
    // checked again afterwards, because some sockets open more than one file.
    private void MakeShards(int threadCount, List<ShardThread> added)
    {
        int count = threadCount - _shards.Count;
        RequireDescriptors(count, _sockets.SocketsPerThread);
        for (int index = _shards.Count; index < threadCount; index++) added.Add(_factory.MakeShard(index));
        RequireDescriptors(count, socketsPerThread: 0);
    }

    private void Begin(ServerThread thread)
    {
        thread.Start();
        _ = thread.Ended.ContinueWith(
            _ => OnEnded(thread),
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    private void StartAndWait(ServerThread thread)
    {
        Begin(thread);
        WaitFor(thread.Started, CancellationToken.None);
        if (thread.Started.Exception is { } fault) ExceptionDispatchInfo.Throw(fault.InnerExceptions[0]);
    }

    private void Keep(List<ShardThread> added, int threadCount)
    {
        lock (_lock) _shards.AddRange(added);
        _plan.ThreadCount = threadCount;
    }

    // Called when a thread has ended. An abandoned thread is no longer part of the server: its counts are kept, but its
    // exception is ignored.
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

        NoteFault(thread);
    }

    // Makes the task Fault fail with the exception that ended a thread. If the thread could not even start, the call
    // that started it throws the exception instead.
    private void NoteFault(ServerThread thread)
    {
        if (thread.Started.IsCompletedSuccessfully && thread.Ended.Exception is { } fault)
        {
            _fault.TrySetException(fault.InnerExceptions);
        }
    }
}
