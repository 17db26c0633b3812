using System.Diagnostics;
using Spate.Backends;

namespace Spate.Serving;

/// <summary>
/// The threads of a server: starting, adding, taking away and ending them, in the order that loses nothing. One change
/// at a time; the server sees to that.
/// </summary>
internal sealed class ServerThreads
{
    private readonly ServerPlan _plan;
    private readonly ServerSockets _sockets;
    private readonly ThreadMaker _maker;
    private readonly FeederThread? _feeder;
    private readonly Lock _lock = new();
    private readonly List<ShardThread> _shards = [];
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

    /// <summary>Datagrams that were received and, since the time to stop was over, given to no handler.</summary>
    public long Unhandled => Volatile.Read(ref _unhandled);

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
            IEnumerable<UdpThreadStatistics> threads = _ended.Values
                .Concat(_shards.Select(thread => thread.Read()))
                .OrderBy(thread => thread.ShardIndex);
            if (_feeder is not null) threads = threads.Prepend(_feeder.Read());
            return [.. threads];
        }
    }

    /// <summary>Adds threads until there are so many; where one cannot start, all that were added go.</summary>
    public async Task GrowAsync(int threadCount)
    {
        DescriptorLimit.Require((threadCount - _shards.Count) * _sockets.DescriptorsPerThread);
        List<ShardThread> added = [];
        try
        {
            if (_feeder is not null && _shards.Count == 0) await StartAsync(_feeder).ConfigureAwait(false);
            for (int index = _shards.Count; index < threadCount; index++)
            {
                ShardThread thread = _maker.MakeShard(index);
                added.Add(thread);
                await StartAsync(thread).ConfigureAwait(false);
            }
        }
        catch
        {
            await EndAsync(added.Where(thread => thread.HasStarted), DeadlineOf(TimeSpan.Zero)).ConfigureAwait(false);
            if (!_plan.Traits.SharesSocket) _sockets.CloseAfter(_shards.Count);
            throw;
        }

        lock (_lock) _shards.AddRange(added);
        _plan.ThreadCount = threadCount;
        _maker.FitBatches();
        _sockets.Steer(threadCount);
    }

    /// <summary>
    /// Threads of the highest index end, one after another, each with what its own socket has queued; what a shared one
    /// has queued is the others'.
    /// </summary>
    public async Task ShrinkAsync(int threadCount)
    {
        while (_shards.Count > threadCount)
        {
            ShardThread last = _shards[^1];
            if (_plan.Traits.SharesSocket)
            {
                await EndAsync([last], DeadlineOf(TimeSpan.Zero)).ConfigureAwait(false);
            }
            else
            {
                _sockets.Steer(_shards.Count - 1);
                KernelGrace.Wait();

                // However long its handler takes: nothing new comes, so there is an end.
                await EndAsync([last], DeadlineOf(TimeSpan.MaxValue), () => Retire(last)).ConfigureAwait(false);
                _sockets.CloseAfter(_shards.Count - 1);
            }

            lock (_lock)
            {
                // Of the thread itself nothing is kept: its batches are large.
                int index = last.Shard.Index;
                UdpThreadStatistics statistics = last.Read();
                _ended[index] = _ended.TryGetValue(index, out UdpThreadStatistics earlier)
                    ? ThreadTally.Add(earlier, statistics)
                    : statistics;
                _shards.RemoveAt(_shards.Count - 1);
            }

            _plan.ThreadCount = _shards.Count;
        }
    }

    /// <summary>All end: first who receives, then who handles what was received.</summary>
    public async Task EndAsync(TimeSpan drainTimeout)
    {
        long drainUntil = DeadlineOf(drainTimeout);
        if (drainTimeout > TimeSpan.Zero)
        {
            _sockets.RefuseArrivals();
            KernelGrace.Wait();
        }

        if (_feeder is { HasStarted: true }) await EndAsync([_feeder], drainUntil).ConfigureAwait(false);
        await EndAsync(_shards, drainUntil).ConfigureAwait(false);
        if (_feeder is not null) Volatile.Write(ref _unhandled, _feeder.Release());
        _sockets.Dispose();
    }

    // What it still has to answer leaves by the first shard's sockets, of the same addresses and ports.
    private void Retire(ShardThread thread)
    {
        for (int i = 0; i < thread.Lanes.Length; i++) thread.Lanes[i].SendBy(_sockets.OfFirst(i));
        _sockets.HideLast();
    }

    // Bounded, since the longest time there is would overflow.
    private static long DeadlineOf(TimeSpan drainTimeout) =>
        Stopwatch.GetTimestamp()
        + (long)(Math.Min(drainTimeout.TotalSeconds, int.MaxValue) * Stopwatch.Frequency);

    private async Task StartAsync(ServerThread thread)
    {
        thread.Start();
        await thread.Started.ConfigureAwait(false);
        _ = thread.Ended.ContinueWith(
            ended => _fault.TrySetException(ended.Exception!.InnerExceptions),
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    // What a thread ends with is told by Fault; here only its end matters.
    private static async Task EndAsync(IEnumerable<ServerThread> threads, long drainUntil, Action? retire = null)
    {
        ServerThread[] all = [.. threads];
        foreach (ServerThread thread in all) thread.End(drainUntil, retire);
        foreach (ServerThread thread in all)
            await thread.Ended.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
