using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Spate.Buffers;

/// <summary>
/// Makes sure that only one call at a time uses a batch. A second call at the same time is an error of the program: it
/// would replace buffers that the kernel still reads or fills for the first call. A call uses the batch from
/// <see cref="Enter"/> to <see cref="Leave"/>; an awaited call also uses the batch while it waits. The cost is one
/// interlocked exchange per call.
/// </summary>
internal struct ExclusiveUse
{
    // In the states Free and Lent, other code may read the batch.
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

    /// <summary>Ends the use that <see cref="Enter"/> began.</summary>
    /// <returns>True if the batch was disposed during the use: the caller then releases the batch's memory.</returns>
    public bool Leave()
    {
        Debug.Assert(_state == Used, "The use that ends was not begun, or is lent.");
        Volatile.Write(ref _state, Free);
        return Volatile.Read(ref _isEnding) && TryEnd();
    }

    /// <summary>
    /// For the call that uses the batch: lets other code read the batch until <see cref="TakeBack"/>.
    /// </summary>
    public void Lend()
    {
        Debug.Assert(_state == Used);
        Volatile.Write(ref _state, Lent);
    }

    public void TakeBack()
    {
        Debug.Assert(_state == Lent);
        Volatile.Write(ref _state, Used);
    }

    /// <summary>
    /// Disposes the batch: no call can enter any more. A call that is using the batch still runs to its end.
    /// </summary>
    /// <returns>
    /// True if the caller must release the batch's memory. False if the call that is using the batch will release the
    /// memory, after its <see cref="Leave"/>, or if the batch was already disposed.
    /// </returns>
    public bool End()
    {
        Volatile.Write(ref _isEnding, true);
        if (TryEnd()) return true;
        if (Volatile.Read(in _state) == Ended) return false;

        // Leave writes _state and then reads _isEnding without a memory fence, so that calls do not pay for a fence.
        // After this barrier, either TryEnd sees the write of Leave, or Leave sees that the batch is ending.
        Interlocked.MemoryBarrierProcessWide();
        return TryEnd();
    }

    /// <summary>
    /// Throws if the batch is disposed. An awaited receive tests this before each attempt, because nobody could read
    /// the datagrams in a disposed batch.
    /// </summary>
    public readonly void RequireNotEnding()
    {
        if (_isEnding) Refuse();
    }

    /// <summary>
    /// Throws if a call is using the batch and does not lend it, or if the batch is disposed. Used by code that reads
    /// the batch, and by calls so short that they do not call <see cref="Enter"/>. The cost is one read; a call that
    /// starts at the same moment is not detected.
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
