using Spate.Serving.Shards;
using Spate.Serving.Steering;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The end of threads. Blocking calls wait for threads and never for tasks of the pool, so a busy pool does not delay
/// them.
/// </summary>
internal sealed partial class ServerThreads
{
    /// <summary>Ends all threads and waits for that by blocking.</summary>
    public void End(StopDeadline end)
    {
        EndArrivals(end);
        WaitFor(EndReader(end), CancellationToken.None);
        WaitFor(EndShards(end), end.WaitIsOver);
        Release();
    }

    /// <summary>Ends all threads and waits for that by awaiting.</summary>
    public async Task EndAsync(StopDeadline end)
    {
        await Task.Run(() => EndArrivals(end)).ConfigureAwait(false);
        await WhenAsync(EndReader(end), CancellationToken.None).ConfigureAwait(false);
        await WhenAsync(EndShards(end), end.WaitIsOver).ConfigureAwait(false);
        Release();
    }

    // Only the end of the thread matters here: Fault has the exception that ended it.
    private static void WaitFor(Task end, CancellationToken waitIsOver)
    {
        try
        {
            end.Wait(waitIsOver);
        }
        catch (Exception fault) when (fault is AggregateException or OperationCanceledException)
        {
            // The thread was ended by an exception, or has not ended in time.
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

    // The thread that receives ends before the threads that handle its datagrams. It runs no code of users, so it
    // always ends.
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
        // A thread reports its fault by a continuation of its end, which may run later than this.
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

    // After a growth that failed, the added threads end at once, and the sockets that they do not share are closed.
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

    // A thread whose handler does not return cannot be ended. If the handler returns later, its thread ends at once;
    // its sockets are then those of other threads, or closed.
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

    // The last replies of these threads leave by the sockets of the first shard, of the same addresses and ports.
    private void Retire(ShardThread[] threads, UdpSocket[] sockets)
    {
        foreach (ShardThread thread in threads) thread.SendBy(_sockets.Of(0));
        ServerSockets.Hide(sockets);
    }
}
