namespace Spate.Sockets;

/// <summary>
/// Counts the calls that are inside the system with a descriptor, so that Close can wait for them to leave before the
/// descriptor's number may be given to another file. State: the count, plus <see cref="ClosedBit"/> from Close on.
/// </summary>
internal sealed class CallGate
{
    private const int ClosedBit = 1 << 30;

    private readonly object _empty = new();
    private int _state;
    private TaskCompletionSource? _emptied;

    /// <summary>False once closed; the caller must not touch the descriptor then.</summary>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _state) < ClosedBit) return true;
        Leave();
        return false;
    }

    public bool IsClosed => (Volatile.Read(ref _state) & ClosedBit) != 0;

    public void Leave()
    {
        if (Interlocked.Decrement(ref _state) != ClosedBit) return;
        lock (_empty)
        {
            Monitor.PulseAll(_empty);
            _emptied?.TrySetResult();
        }
    }

    /// <summary>Closes the gate to new calls. Returns false if it was closed already.</summary>
    public bool Close() => (Interlocked.Or(ref _state, ClosedBit) & ClosedBit) == 0;

    /// <summary>Waits until the last call has left; after <see cref="Close"/>. False when the time is over.</summary>
    public bool WaitEmpty(int timeoutMilliseconds)
    {
        var deadline = new Deadline(TimeProvider.System, timeoutMilliseconds);
        lock (_empty)
        {
            while (Volatile.Read(ref _state) != ClosedBit)
            {
                // A refused call counts for a moment, so that a waiter that was woken may find the gate in use again.
                int remainingMilliseconds = deadline.RemainingMilliseconds;
                if (remainingMilliseconds == 0) return false;
                Monitor.Wait(_empty, remainingMilliseconds);
            }

            return true;
        }
    }

    /// <summary>As <see cref="WaitEmpty"/>, without blocking.</summary>
    public async ValueTask<bool> WaitEmptyAsync(int timeoutMilliseconds)
    {
        TaskCompletionSource emptied;
        lock (_empty)
        {
            if (Volatile.Read(ref _state) == ClosedBit) return true;
            emptied = _emptied ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        // Once the last call has left, only refused calls can enter, and they do not touch the descriptor.
        Task delay = Task.Delay(timeoutMilliseconds);
        return await Task.WhenAny(emptied.Task, delay).ConfigureAwait(false) == emptied.Task;
    }
}
