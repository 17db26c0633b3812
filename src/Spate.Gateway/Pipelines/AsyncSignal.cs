using System.Threading.Tasks.Sources;

namespace Spate.Gateway.Pipelines;

/// <summary>
/// Wakes one waiting method. A signal that comes while nobody waits is kept; several are one. Allocates nothing, which
/// a semaphore would for every wait.
/// </summary>
internal sealed class AsyncSignal : IValueTaskSource, IThreadPoolWorkItem
{
    private const int Idle = 0;
    private const int IsSet = 1;
    private const int IsWaitedFor = 2;

    // Mutable struct. Continuations run where SetResult is called, which is on a thread of the pool.
    private ManualResetValueTaskSourceCore<bool> _core;
    private int _state;

    /// <summary>Wakes the waiting method, or the next one that waits. Any thread may call.</summary>
    public void Set()
    {
        while (true)
        {
            int seen = Volatile.Read(ref _state);
            if (seen == IsSet) return;
            int next = seen == IsWaitedFor ? Idle : IsSet;
            if (Interlocked.CompareExchange(ref _state, next, seen) != seen) continue;
            if (seen == IsWaitedFor) ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            return;
        }
    }

    /// <summary>Waits for a signal. One method at a time, which must await the result before it waits again.</summary>
    public ValueTask WaitAsync()
    {
        if (Interlocked.CompareExchange(ref _state, Idle, IsSet) == IsSet) return ValueTask.CompletedTask;
        _core.Reset();
        if (Interlocked.CompareExchange(ref _state, IsWaitedFor, Idle) == Idle)
        {
            return new ValueTask(this, _core.Version);
        }

        // The signal came in between. Nobody else waits, so it is ours.
        Volatile.Write(ref _state, Idle);
        return ValueTask.CompletedTask;
    }

    void IThreadPoolWorkItem.Execute() => _core.SetResult(true);

    void IValueTaskSource.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}
