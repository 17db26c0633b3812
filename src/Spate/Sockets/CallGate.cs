using System.Diagnostics;

namespace Spate.Sockets;

/// <summary>
/// Counts the calls that are using a descriptor. Closing waits until these calls have returned, because the system may
/// give the number of a closed descriptor to another file. The state is the number of calls, plus
/// <see cref="ClosedBit"/> after Close.
/// </summary>
internal sealed class CallGate
{
    private const int ClosedBit = 1 << 30;

    private readonly object _empty = new();
    private int _state;
    private TaskCompletionSource? _emptied;

    /// <summary>
    /// Counts a call that is about to use the descriptor. False if the gate is closed: the caller must not use the
    /// descriptor then.
    /// </summary>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _state) < ClosedBit) return true;
        Leave();
        return false;
    }

    public bool IsClosed => (Volatile.Read(ref _state) & ClosedBit) != 0;

    public void Leave()
    {
        int state = Interlocked.Decrement(ref _state);
        Debug.Assert(state >= 0 && state != ClosedBit - 1, "A call left that had not entered.");
        if (state != ClosedBit) return;
        lock (_empty)
        {
            Monitor.PulseAll(_empty);
            _emptied?.TrySetResult();
        }
    }

    /// <summary>Closes the gate to new calls. Returns false if it was closed already.</summary>
    public bool Close() => (Interlocked.Or(ref _state, ClosedBit) & ClosedBit) == 0;

    /// <summary>
    /// Waits until the last call has returned; used after <see cref="Close"/>. False if the timeout ends first.
    /// </summary>
    public bool WaitEmpty(int timeoutMilliseconds)
    {
        Debug.Assert(IsClosed, "An open gate lets in calls without end.");
        var deadline = new Deadline(TimeProvider.System, timeoutMilliseconds);
        lock (_empty)
        {
            while (Volatile.Read(ref _state) != ClosedBit)
            {
                // TryEnter counts a refused call too, for a moment. So the count may be above zero again when
                // Monitor.Wait returns, and the loop checks the count again.
                int remainingMilliseconds = deadline.RemainingMilliseconds;
                if (remainingMilliseconds == 0) return false;
                Monitor.Wait(_empty, remainingMilliseconds);
            }

            return true;
        }
    }

    /// <summary>As <see cref="WaitEmpty"/>, but returns a task instead of blocking the thread.</summary>
    public async ValueTask<bool> WaitEmptyAsync(int timeoutMilliseconds)
    {
        Debug.Assert(IsClosed, "An open gate lets in calls without end.");
        TaskCompletionSource emptied;
        lock (_empty)
        {
            if (Volatile.Read(ref _state) == ClosedBit) return true;
            emptied = _emptied ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        // The task stays completed even if TryEnter counts a refused call for a moment: refused calls do not use the
        // descriptor.
        Task delay = Task.Delay(timeoutMilliseconds);
        return await Task.WhenAny(emptied.Task, delay).ConfigureAwait(false) == emptied.Task;
    }
}
