using System.Diagnostics;
using Spate.Waiting;

namespace Spate.Serving.Threading;

/// <summary>
/// Keeps only as many threads of a server awake as the load needs. A thread without work parks. In designs without a
/// reader, the last thread that is awake does not park, but waits for the sockets. When the waiting datagrams reach the
/// threshold, the thread that parked last is woken, because its CPU cache most likely still has the data that it needs.
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
        lock (_lock)
        {
            Volatile.Write(ref _threadCount, _threadCount - 1);
            RequireAgreement();
        }

        // The thread that has left may have been the last thread awake, so wake another thread.
        WakeOne();
    }

    /// <summary>
    /// Called by a thread that is about to park. Returns false if the thread must stay awake, because
    /// <paramref name="keepsOneAwake"/> is true and all other threads are parked.
    /// </summary>
    /// <remarks>
    /// In a design with a reader, a worker is first counted here as parked and then looks for filled batches once more.
    /// The reader first adds a batch and then reads the number of awake threads. In both threads a full barrier is
    /// between the two steps, so at least one of them sees the step of the other.
    /// </remarks>
    public bool TryBeginPark(ThreadWaiter waiter, bool keepsOneAwake)
    {
        lock (_lock)
        {
            if (keepsOneAwake && _threadCount - _parkedCount <= 1) return false;
            _parked.Add(waiter);
            Interlocked.Increment(ref _parkedCount);
            RequireAgreement();
            return true;
        }
    }

    /// <summary>
    /// Called by a thread that has slept. If the thread was woken for work, <see cref="WakeOne"/> has already taken it
    /// off the list of parked threads. It is still in the list if its sleep ended for another reason, such as its
    /// timeout or a posted reply.
    /// </summary>
    public void EndPark(ThreadWaiter waiter)
    {
        lock (_lock)
        {
            if (_parked.Remove(waiter)) Interlocked.Decrement(ref _parkedCount);
            else Volatile.Write(ref _wakingCount, _wakingCount - 1);
            RequireAgreement();
        }
    }

    /// <summary>
    /// Called with the number of waiting datagrams: wakes a thread if the number reaches the threshold. But while an
    /// already woken thread has not run yet, no other thread is woken, because then no CPU is free for another thread.
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

    /// <summary>Checks the counts in a debug build.</summary>
    [Conditional("DEBUG")]
    private void RequireAgreement()
    {
        Debug.Assert(_lock.IsHeldByCurrentThread && _parkedCount == _parked.Count);
        Debug.Assert(_threadCount >= 0 && _wakingCount >= 0, "A thread leaves once, and ends each park once.");
    }
}
