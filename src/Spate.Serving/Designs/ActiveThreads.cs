using Spate.Waiting;

namespace Spate.Serving.Designs;

/// <summary>
/// The threads of a design that keeps only as many awake as there is work for. A thread without work parks, unless it
/// is the last one awake. Work beyond the threshold wakes the thread that parked last, whose cache is the warmest.
/// </summary>
internal sealed class ActiveThreads(int wakeThreshold)
{
    private readonly Lock _lock = new();
    private readonly List<ThreadWaiter> _parked = [];
    private int _parkedCount;
    private int _threadCount;
    private int _wakingCount;

    public int AwakeCount => Volatile.Read(ref _threadCount) - Volatile.Read(ref _parkedCount);

    public void Join()
    {
        lock (_lock) Volatile.Write(ref _threadCount, _threadCount + 1);
    }

    public void Leave()
    {
        lock (_lock) Volatile.Write(ref _threadCount, _threadCount - 1);

        // The one that left may have been the one awake.
        WakeOne();
    }

    /// <summary>
    /// The calling thread is about to park. False if it must stay because no other thread is awake (with
    /// <paramref name="keepsOneAwake"/>).
    /// </summary>
    /// <remarks>
    /// The parking thread is counted here first and then looks for work once more. A thread that brings work adds it
    /// first and then reads the count. Both order the two steps by a full barrier, so at least one sees the other.
    /// </remarks>
    public bool TryBeginPark(ThreadWaiter waiter, bool keepsOneAwake)
    {
        lock (_lock)
        {
            if (keepsOneAwake && _threadCount - _parkedCount <= 1) return false;
            _parked.Add(waiter);
            Interlocked.Increment(ref _parkedCount);
            return true;
        }
    }

    /// <summary>
    /// The calling thread runs again. Woken by time or by a post it is still in the list; woken for work it is not.
    /// </summary>
    public void EndPark(ThreadWaiter waiter)
    {
        lock (_lock)
        {
            if (_parked.Remove(waiter)) Interlocked.Decrement(ref _parkedCount);
            else Volatile.Write(ref _wakingCount, _wakingCount - 1);
        }
    }

    /// <summary>
    /// So many datagrams are waiting. No thread is woken while one that was woken has not run yet: no CPU was free for
    /// it, so none is for another.
    /// </summary>
    public void OnBacklog(int datagramCount)
    {
        if (datagramCount >= wakeThreshold) OnLeftovers();
    }

    /// <summary>Something waits and no thread takes it, except one that was woken already.</summary>
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
