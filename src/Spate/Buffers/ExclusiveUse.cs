using System.Diagnostics.CodeAnalysis;

namespace Spate.Buffers;

/// <summary>
/// Keeps two calls from using one batch at once, which is wrong anyway: the second would retire buffers that the
/// kernel still reads or fills for the first. A call has the batch until it ends, an awaited call while it waits too.
/// One interlocked exchange per call.
/// </summary>
internal struct ExclusiveUse
{
    // Up to Lent, other code may read the batch.
    private const int Free = 0;
    private const int Lent = 1;
    private const int Used = 2;
    private const int Ended = 3;

    private int _state;
    private bool _isEnding;

    public void Enter()
    {
        if (_isEnding || !TryEnter()) Refuse();
    }

    /// <summary>Gives the batch back.</summary>
    /// <returns>True if the batch was disposed meanwhile: the caller releases its memory.</returns>
    public bool Leave()
    {
        Volatile.Write(ref _state, Free);
        return Volatile.Read(ref _isEnding) && TryEnd();
    }

    /// <summary>By the call that has the batch: others may read it until <see cref="TakeBack"/>.</summary>
    public void Lend() => Volatile.Write(ref _state, Lent);

    public void TakeBack() => Volatile.Write(ref _state, Used);

    /// <summary>Ends the use for good. A call that has the batch now still finishes.</summary>
    /// <returns>
    /// True if the caller releases the batch's memory. False if the call that has the batch now does so, after its
    /// <see cref="Leave"/>, or if the use had ended before.
    /// </returns>
    public bool End()
    {
        Volatile.Write(ref _isEnding, true);
        if (TryEnd()) return true;
        if (Volatile.Read(in _state) == Ended) return false;

        // Leave writes one field and then reads the other without a fence, to cost calls nothing. After this barrier
        // either its write is seen here, or its read finds the batch ending.
        Interlocked.MemoryBarrierProcessWide();
        return TryEnd();
    }

    /// <summary>For a call that has the batch and has not begun: it must not begin on a disposed batch.</summary>
    public readonly void RequireNotEnding()
    {
        if (_isEnding) Refuse();
    }

    /// <summary>
    /// For calls that are too short to enter, and for reads: throws while a call has the batch and does not lend it. It
    /// costs one read; a call that starts at the same moment is missed.
    /// </summary>
    public readonly void RequireFree()
    {
        if (Volatile.Read(in _state) > Lent) Refuse();
    }

    private bool TryEnter() => Interlocked.CompareExchange(ref _state, Used, Free) == Free;

    private bool TryEnd() => Interlocked.CompareExchange(ref _state, Ended, Free) == Free;

    [DoesNotReturn]
    private readonly void Refuse()
    {
        if (_isEnding || Volatile.Read(in _state) == Ended)
        {
            throw new ObjectDisposedException(objectName: null, "The batch is disposed: make another one.");
        }

        throw new InvalidOperationException(
            "The batch is in use by another call: give each thread and each awaited call a batch of its own.");
    }
}
