namespace Spate.Backends;

/// <summary>
/// Counts the calls that are inside the system with a descriptor, so that Close can wait for them to leave before the
/// descriptor's number may be given to another file. State: the count, plus <see cref="ClosedBit"/> from Close on.
/// </summary>
internal sealed class CallGate
{
    private const int ClosedBit = 1 << 30;

    private readonly ManualResetEventSlim _empty = new(false);
    private int _state;

    /// <summary>False once closed; the caller must not touch the descriptor then.</summary>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _state) < ClosedBit) return true;
        Leave();
        return false;
    }

    public void Leave()
    {
        if (Interlocked.Decrement(ref _state) == ClosedBit) _empty.Set();
    }

    /// <summary>Lets nobody in any more; false if that was so already.</summary>
    public bool Close()
    {
        int before = Interlocked.Or(ref _state, ClosedBit);
        if (before == 0) _empty.Set();
        return (before & ClosedBit) == 0;
    }

    /// <summary>Waits until the last call has left; after <see cref="Close"/>.</summary>
    public bool WaitEmpty(int timeoutMilliseconds) => _empty.Wait(timeoutMilliseconds);
}
