using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// Threads of which only as many are awake as there is work for. A member without work parks unless it is the last one
/// awake; work beyond the threshold wakes the one that parked last, whose cache is the warmest.
/// </summary>
internal sealed class Crew(int wakeThreshold)
{
    private readonly Lock _lock = new();
    private readonly List<ThreadWaiter> _parked = [];
    private int _parkedCount;
    private int _memberCount;
    private int _wakingCount;

    public int AwakeCount => Volatile.Read(ref _memberCount) - Volatile.Read(ref _parkedCount);

    public void Join()
    {
        lock (_lock) Volatile.Write(ref _memberCount, _memberCount + 1);
    }

    public void Leave()
    {
        lock (_lock) Volatile.Write(ref _memberCount, _memberCount - 1);

        // It may have been the one awake.
        WakeOne();
    }

    /// <summary>
    /// The calling member is about to park; false if it must stay because nobody else is awake (with
    /// <paramref name="keepsOneAwake"/>). It looks for work once more before it sleeps, by a full barrier after it was
    /// counted here: whoever brings work reads the count after bringing it, so one of the two sees the other.
    /// </summary>
    public bool TryBeginPark(ThreadWaiter waiter, bool keepsOneAwake)
    {
        lock (_lock)
        {
            if (keepsOneAwake && _memberCount - _parkedCount <= 1) return false;
            _parked.Add(waiter);
            Interlocked.Increment(ref _parkedCount);
            return true;
        }
    }

    /// <summary>Woken by time or by a post it is still in the list; woken for work it is not.</summary>
    public void EndPark(ThreadWaiter waiter)
    {
        lock (_lock)
        {
            if (_parked.Remove(waiter)) Interlocked.Decrement(ref _parkedCount);
            else Volatile.Write(ref _wakingCount, _wakingCount - 1);
        }
    }

    /// <summary>
    /// So many datagrams are waiting. Nobody is woken while one who was has not run yet: no CPU was free for it, so
    /// none is for another.
    /// </summary>
    public void OnBacklog(int datagramCount)
    {
        if (datagramCount >= wakeThreshold) OnLeftovers();
    }

    /// <summary>Something waits and nobody takes it; who was woken already will.</summary>
    public void OnLeftovers()
    {
        if (Volatile.Read(ref _wakingCount) == 0) WakeOne();
    }

    public void WakeOne()
    {
        if (Volatile.Read(ref _parkedCount) == 0) return;
        ThreadWaiter woken;
        lock (_lock)
        {
            if (_parked.Count == 0) return;
            woken = _parked[^1];
            _parked.RemoveAt(_parked.Count - 1);
            Volatile.Write(ref _wakingCount, _wakingCount + 1);
            Interlocked.Decrement(ref _parkedCount);
        }

        woken.Wake();
    }
}
