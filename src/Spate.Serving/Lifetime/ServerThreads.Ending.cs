using Spate.Serving.Shards;
using Spate.Serving.Steering;

namespace Spate.Serving.Lifetime;

/// <summary>
/// Ending. Calls that block wait for threads, never for a task of the pool, so a busy pool cannot hold them up.
/// </summary>
internal sealed partial class ServerThreads
{
    /// <summary>All threads end, waited for by blocking.</summary>
    public void End(EndTime end)
    {
        EndArrivals(end);
        WaitFor(EndReader(end), CancellationToken.None);
        WaitFor(EndShards(end), end.PatienceIsOver);
        Release();
    }

    /// <summary>All threads end, waited for by awaiting.</summary>
    public async Task EndAsync(EndTime end)
    {
        await Task.Run(() => EndArrivals(end)).ConfigureAwait(false);
        await WhenAsync(EndReader(end), CancellationToken.None).ConfigureAwait(false);
        await WhenAsync(EndShards(end), end.PatienceIsOver).ConfigureAwait(false);
        Release();
    }

    // What a thread ends with is told by Fault. Here only its end matters.
    private static void WaitFor(Task end, CancellationToken patience)
    {
        try
        {
            end.Wait(patience);
        }
        catch (Exception fault) when (fault is AggregateException or OperationCanceledException)
        {
            // Ended by a fault, or not in time.
        }
    }

    private static async Task WhenAsync(Task end, CancellationToken patience) =>
        await end.WaitAsync(patience).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    private static Task WhenEndedAsync(IEnumerable<ServerThread> threads, CancellationToken patience) =>
        WhenAsync(Task.WhenAll(threads.Select(thread => thread.Ended)), patience);

    private void EndArrivals(EndTime end)
    {
        _sockets.RefuseArrivals();
        if (!end.IsDrainOver) KernelGrace.Wait();
    }

    // First the thread that receives ends, then those that handle what was received. The reader runs no code of a
    // user's, so it always ends.
    private Task EndReader(EndTime end)
    {
        if (_reader is not { HasStarted: true }) return Task.CompletedTask;
        _reader.End(end);
        return _reader.Ended;
    }

    private Task EndShards(EndTime end)
    {
        foreach (ShardThread thread in _shards) thread.End(end);
        return Task.WhenAll(_shards.Select(thread => thread.Ended));
    }

    private void Release()
    {
        ShardThread[] stuck = LeaveBehind([.. _shards]);
        if (_reader is not null) Volatile.Write(ref _unhandled, _reader.Release());
        else if (!_plan.Traits.SharesSocket)
        {
            foreach (ShardThread thread in stuck) _sockets.CountLeftBehind(_sockets.Of(thread.Shard.Index));
        }
        else if (!_shards.Exists(thread => thread.HasDrained)) _sockets.CountUnhandled();
        _sockets.Dispose();
    }

    // The threads of a growth that failed end at once, with the sockets that they alone have.
    private async Task TakeBackAsync(ShardThread[] started)
    {
        using EndTime now = new();
        now.BringForward(TimeSpan.Zero);
        foreach (ShardThread thread in started) thread.End(now);
        await WhenEndedAsync(started, now.PatienceIsOver).ConfigureAwait(false);
        ShardThread[] stuck = LeaveBehind(started);
        lock (_lock)
        {
            foreach (ShardThread thread in started.Except(stuck)) AddTo(_ended, thread);
        }

        if (!_plan.Traits.SharesSocket) _sockets.CloseAfter(_shards.Count);
    }

    // Threads that have not ended cannot be made to end. Should a handler return after all, its thread ends at once,
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

    // What these threads still have to answer leaves by the first shard's sockets, of the same addresses and ports.
    private void Retire(ShardThread[] threads, UdpSocket[] sockets)
    {
        foreach (ShardThread thread in threads) thread.SendBy(_sockets.Of(0));
        ServerSockets.Hide(sockets);
    }
}
