using Spate.Serving.Shards;
using Spate.Serving.Steering;

namespace Spate.Serving.Lifetime;

/// <summary>
/// This part of the class ends threads. Its blocking methods wait for the threads themselves and never for tasks of the
/// thread pool, so a busy pool does not delay them.
/// </summary>
internal sealed partial class ServerThreads
{
    /// <summary>
    /// Ends all threads and blocks until they have ended, or until the deadline for waiting has passed.
    /// </summary>
    public void End(StopDeadline end)
    {
        EndArrivals(end);
        WaitFor(EndReader(end), CancellationToken.None);
        WaitFor(EndShards(end), end.WaitIsOver);
        Release();
    }

    /// <summary>Ends all threads as <see cref="End"/> does, but awaits their end and does not block.</summary>
    public async Task EndAsync(StopDeadline end)
    {
        await Task.Run(() => EndArrivals(end)).ConfigureAwait(false);
        await WhenAsync(EndReader(end), CancellationToken.None).ConfigureAwait(false);
        await WhenAsync(EndShards(end), end.WaitIsOver).ConfigureAwait(false);
        Release();
    }

    // Blocks until the task is complete or the token is cancelled. Throws nothing: the property Fault reports the
    // exception that ended a thread.
    private static void WaitFor(Task end, CancellationToken waitIsOver)
    {
        try
        {
            end.Wait(waitIsOver);
        }
        catch (Exception fault) when (fault is AggregateException or OperationCanceledException)
        {
            // An exception ended the thread, or the thread has not ended in time.
        }
    }

    private static async Task WhenAsync(Task end, CancellationToken waitIsOver) =>
        await end.WaitAsync(waitIsOver).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    private static Task WhenEndedAsync(IEnumerable<ServerThread> threads, CancellationToken waitIsOver) =>
        WhenAsync(Task.WhenAll(threads.Select(thread => thread.Ended)), waitIsOver);

    private void EndArrivals(StopDeadline end)
    {
        _sockets.RefuseArrivals();
        if (!end.IsDrainOver) RcuGracePeriod.Wait();
    }

    // Ends the reader. It must end before the workers, which handle its datagrams. The reader runs no code of the user,
    // so it always ends.
    private Task EndReader(StopDeadline end)
    {
        if (_reader is not { HasStarted: true }) return Task.CompletedTask;
        _reader.End(end);
        return _reader.Ended;
    }

    private Task EndShards(StopDeadline end)
    {
        foreach (ShardThread thread in _shards) thread.End(end);
        return Task.WhenAll(_shards.Select(thread => thread.Ended));
    }

    private void Release()
    {
        // OnEnded also notes the exceptions of threads, but it is a continuation and may run later than this method.
        if (_reader is not null) NoteFault(_reader);
        foreach (ShardThread thread in _shards) NoteFault(thread);
        ShardThread[] stuck = LeaveBehind([.. _shards]);
        if (_reader is not null) Volatile.Write(ref _unhandled, _reader.Release());
        else if (!_plan.Traits.SharesSocket)
        {
            foreach (ShardThread thread in stuck) _sockets.CountLeftBehind(_sockets.Of(thread.Shard.Index));
        }
        else if (!_shards.Exists(thread => thread.HasDrained)) _sockets.CountUnhandled();
        _sockets.Dispose();
    }

    // Called when adding threads has failed: ends the added threads at once, and closes their sockets if these are not
    // shared.
    private async Task TakeBackAsync(ShardThread[] started)
    {
        using StopDeadline now = new();
        now.BringForward(TimeSpan.Zero);
        foreach (ShardThread thread in started) thread.End(now);
        await WhenEndedAsync(started, now.WaitIsOver).ConfigureAwait(false);
        ShardThread[] stuck = LeaveBehind(started);
        lock (_lock)
        {
            foreach (ShardThread thread in started.Except(stuck)) AddTo(_ended, thread);
        }

        if (!_plan.Traits.SharesSocket) _sockets.CloseAfter(_shards.Count);
    }

    // Abandons those threads that have not ended, and returns them. A thread whose handler does not return cannot be
    // ended. If the handler returns later, its thread ends at once. By then its own sockets are closed, and it can use
    // only sockets of other threads that are still open.
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

    // Hides the sockets of these threads. Their last replies are sent through the sockets of the first shard, which
    // have the same addresses and ports.
    private void Retire(ShardThread[] threads, UdpSocket[] sockets)
    {
        foreach (ShardThread thread in threads) thread.SendBy(_sockets.Of(0));
        ServerSockets.Hide(sockets);
    }
}
