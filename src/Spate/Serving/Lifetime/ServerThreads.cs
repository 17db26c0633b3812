using System.Diagnostics;
using Spate.Serving.Shards;
using Spate.Serving.Steering;
using Spate.Serving.Threading;
using Spate.Sockets;

namespace Spate.Serving.Lifetime;

/// <summary>
/// Makes, starts, adds, takes away and ends the threads of a server, in an order that loses no datagram. The server
/// makes one change at a time. The methods block, and wait for the threads themselves and never for tasks of the thread
/// pool, so a busy pool does not delay them.
/// </summary>
internal sealed class ServerThreads(ResolvedServerOptions plan, ServerSockets sockets)
{
    /// <summary>
    /// The number of file descriptors that a thread may need in addition to those of its sockets: an epoll set, an
    /// eventfd, and two files that its handler opens.
    /// </summary>
    private const int DescriptorsPerThread = 4;

    private readonly ActiveThreads _active = new(plan.Options.WakeThreshold);
    private readonly Lock _lock = new();
    private readonly List<ShardThread> _shards = [];
    private readonly List<ShardThread> _leftBehind = [];
    private readonly Dictionary<int, UdpThreadStatistics> _ended = [];
    private readonly TaskCompletionSource _fault = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ReaderThread? _reader;

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
    /// again, all sockets are closed, and this method throws the exception of that thread.
    /// </summary>
    public void Start(int threadCount)
    {
        try
        {
            if (plan.Traits.HasReader)
            {
                _reader = new ReaderThread(plan, sockets, _active);
                StartAndWait(_reader, CancellationToken.None);
            }

            Grow(threadCount, CancellationToken.None, CancellationToken.None);
        }
        catch
        {
            using StopDeadline now = StopDeadline.AtOnce();
            End(now);
            throw;
        }
    }

    /// <summary>
    /// Adds threads until there are <paramref name="threadCount"/>. If one cannot start, all added threads end again.
    /// </summary>
    /// <param name="threadCount">The new number of threads, greater than the present number.</param>
    /// <param name="stopping">Cancelled when the server is stopped. The stop then ends the added threads too.</param>
    /// <param name="cancellationToken">Cancelling ends the added threads again.</param>
    /// <exception cref="OperationCanceledException">One of the two tokens was cancelled.</exception>
    public void Grow(int threadCount, CancellationToken stopping, CancellationToken cancellationToken)
    {
        Debug.Assert(threadCount > _shards.Count);
        List<ShardThread> added = [];
        try
        {
            MakeShards(threadCount, added);
            sockets.Begin(threadCount);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(stopping, cancellationToken);
            foreach (ShardThread thread in added)
            {
                StartAndWait(thread, either.Token);
                stopping.ThrowIfCancellationRequested();
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
        catch when (stopping.IsCancellationRequested)
        {
            lock (_lock) _shards.AddRange(added.Where(thread => thread.HasStarted));
            throw;
        }
        catch
        {
            TakeBack(added);
            throw;
        }

        lock (_lock) _shards.AddRange(added);
        Debug.Assert(_shards.Count == threadCount);
        plan.ThreadCount = threadCount;
        _reader?.FitBatches();
        sockets.Steer(threadCount);
    }

    /// <summary>
    /// Ends the threads with the highest indexes, so that <paramref name="threadCount"/> threads are left. Each thread
    /// first handles the queued datagrams of its own sockets. If the sockets are shared, the threads that are left
    /// handle the queued datagrams. A thread whose handler does not return in time is abandoned.
    /// </summary>
    /// <exception cref="OperationCanceledException">
    /// The server is being stopped. The stop ends these threads too.
    /// </exception>
    public void Shrink(int threadCount, StopDeadline end, CancellationToken stopping)
    {
        Debug.Assert(threadCount > 0 && threadCount <= _shards.Count, "The sockets of the first shard stay.");
        ShardThread[] leaving = [.. _shards.Skip(threadCount)];
        bool haveOwn = !plan.Traits.SharesSocket;
        if (haveOwn)
        {
            sockets.Steer(threadCount);
            RcuGracePeriod.Wait();
        }

        foreach (ShardThread thread in leaving)
            thread.End(end, drains: haveOwn, haveOwn ? () => Retire([thread]) : null);
        using (var either = CancellationTokenSource.CreateLinkedTokenSource(end.WaitIsOver, stopping))
            WaitFor(leaving.Select(thread => thread.Ended), either.Token);
        stopping.ThrowIfCancellationRequested();
        ShardThread[] stuck = TakeOut(leaving);
        if (haveOwn)
        {
            if (stuck.Length > 0) Retire(stuck);
            sockets.CloseAllBut(_shards.Select(thread => thread.Sockets));
        }

        Debug.Assert(_shards.Count == threadCount);
        plan.ThreadCount = threadCount;
    }

    /// <summary>
    /// Ends all threads, waits until they have ended or the deadline for waiting has passed, and closes all sockets.
    /// </summary>
    public void End(StopDeadline end)
    {
        sockets.RefuseArrivals();
        if (!end.IsDrainOver) RcuGracePeriod.Wait();
        if (_reader is { HasStarted: true })
        {
            // The reader ends before the workers, which handle its datagrams. It runs no code of the user, so it always
            // ends.
            _reader.End(end);
            WaitFor([_reader.Ended], CancellationToken.None);
        }

        foreach (ShardThread thread in _shards) thread.End(end);
        WaitFor(_shards.Select(thread => thread.Ended), end.WaitIsOver);

        // OnEnded also notes the exceptions of threads, but a thread calls it after its end, perhaps later than here.
        if (_reader is not null) NoteFault(_reader);
        foreach (ShardThread thread in _shards) NoteFault(thread);
        TakeOut([.. _shards.Where(thread => !thread.Ended.IsCompleted)]);
        _reader?.Release();
        sockets.CloseAllBut([]);
    }

    // Blocks until the tasks are complete or the token is cancelled. Throws nothing: the property Fault reports the
    // exception that ended a thread.
    private static void WaitFor(IEnumerable<Task> tasks, CancellationToken waitIsOver)
    {
        try
        {
            Task.WaitAll(tasks, waitIsOver);
        }
        catch (Exception fault) when (fault is AggregateException or OperationCanceledException)
        {
            // An exception ended a thread, or a thread has not ended in time.
        }
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
        RequireDescriptors(count, sockets.SocketsPerThread);
        for (int index = _shards.Count; index < threadCount; index++)
        {
            UdpSocket[] own = sockets.Open(index);
            Action close = plan.Traits.SharesSocket ? () => { } : () => sockets.Close([own]);
            added.Add(new ShardThread(plan, index, own, () => MakeSource(own), close));
        }

        RequireDescriptors(count, socketsPerThread: 0);
    }

    private BatchSource MakeSource(UdpSocket[] own)
    {
        if (_reader is not null) return new WorkerSource(_reader.Queue, UdpSocket.CreateWaiter([]), _active);
        ReceivedBatch batch = new(own[0].CreateReceiveBatch(plan.ReceiveBatch));
        ActiveThreads? active = plan.Traits.ParksThreads ? _active : null;
        return new SocketSource(own, batch, UdpSocket.CreateWaiter(own), Spinner.Create(plan), active);
    }

    private void StartAndWait(ServerThread thread, CancellationToken cancellationToken)
    {
        thread.Start(OnEnded);
        WaitFor([thread.Started], cancellationToken);
        if (thread.Started.IsCompleted) thread.Started.GetAwaiter().GetResult();
    }

    // Called when adding threads has failed: ends those of them that were started, at once, and closes their sockets if
    // these are not shared.
    private void TakeBack(List<ShardThread> added)
    {
        ShardThread[] started = [.. added.Where(thread => thread.HasStarted)];
        using StopDeadline now = StopDeadline.AtOnce();
        foreach (ShardThread thread in started) thread.End(now);
        WaitFor(started.Select(thread => thread.Ended), now.WaitIsOver);
        TakeOut(started);
        if (!plan.Traits.SharesSocket) sockets.CloseAllBut(_shards.Select(thread => thread.Sockets));
    }

    // Takes threads out of the server, and abandons and returns those that have not ended. A thread whose handler does
    // not return cannot be ended. If the handler returns later, its thread ends at once. By then its own sockets are
    // closed, and it can use only sockets of other threads that are still open.
    private ShardThread[] TakeOut(ShardThread[] threads)
    {
        ShardThread[] stuck;
        lock (_lock)
        {
            stuck = [.. threads.Where(thread => !thread.Ended.IsCompleted)];
            foreach (ShardThread thread in threads.Except(stuck)) AddTo(_ended, thread);
            _leftBehind.AddRange(stuck);
            _shards.RemoveAll(threads.Contains);
        }

        foreach (ShardThread thread in stuck) thread.Abandon();
        return stuck;
    }

    // Hides the sockets of these threads. Their last replies are sent through the sockets of the first shard, which
    // have the same addresses and ports.
    private void Retire(ShardThread[] threads)
    {
        foreach (ShardThread thread in threads) thread.SendBy(sockets.First);
        ServerSockets.Hide([.. threads.SelectMany(thread => thread.Sockets)]);
    }

    // Called by a thread that has ended. An abandoned thread is no longer part of the server: its counts are kept, but
    // its exception is ignored.
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
