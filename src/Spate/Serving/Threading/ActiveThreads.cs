using Spate.Waiting;

namespace Spate.Serving.Threading;

/// <summary>
/// The threads of a design that keeps only as many of them awake as the load needs. A thread without work parks, unless
/// it is the last one awake. Work beyond the threshold wakes the thread that parked last, because its CPU cache most
/// likely still has the data that it needs.
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

        // The thread that has left may have been the last one awake.
        WakeOne();
    }

    /// <summary>
    /// Called by a thread that is about to park. Returns false if it must stay awake because no other thread is (only
    /// with <paramref name="keepsOneAwake"/>).
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
    /// Called by a thread that has slept. It is still in the list if its time was over or a reply was posted, and not
    /// if it was woken for work.
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
    /// Called when datagrams wait: wakes a thread if they reach the threshold. It wakes no thread while an already
    /// woken thread has not run yet, because then no CPU is free for another thread.
    /// </summary>
    public void OnBacklog(int datagramCount)
    {
        if (datagramCount >= wakeThreshold) OnLeftovers();
    }

    /// <summary>Wakes a thread for waiting datagrams, unless an already woken thread has not run yet.</summary>
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
