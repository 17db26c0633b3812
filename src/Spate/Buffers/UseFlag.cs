using System.Diagnostics.CodeAnalysis;

namespace Spate.Buffers;

/// <summary>
/// Keeps two calls from using one batch at once, which is wrong anyway: the second would retire buffers that the
/// kernel still reads or fills for the first. One interlocked exchange per call.
/// </summary>
internal struct UseFlag
{
    private const int Free = 0;
    private const int Used = 1;
    private const int Ended = 2;

    private int _state;
    private bool _isEnded;

    public void Enter()
    {
        if (_isEnded || !TryEnter()) Refuse();
    }

    public bool TryEnter() => Interlocked.CompareExchange(ref _state, Used, Free) == Free;

    public void Leave() => Volatile.Write(ref _state, Free);

    /// <summary>Ends the use for good; false if the batch is in use, or had ended before.</summary>
    public bool TryEnd() => Interlocked.CompareExchange(ref _state, Ended, Free) == Free;

    /// <summary>As <see cref="TryEnd"/>; a call that has the batch now still finishes.</summary>
    public void End()
    {
        if (!TryEnd()) _isEnded = true;
    }

    public readonly void RequireEnded()
    {
        if (Volatile.Read(in _state) != Ended) Refuse();
    }

    /// <summary>
    /// For calls that are too short to enter. It costs one read; a call that starts at the same moment is missed.
    /// </summary>
    public readonly void RequireFree()
    {
        if (Volatile.Read(in _state) != Free) Refuse();
    }

    [DoesNotReturn]
    private readonly void Refuse()
    {
        if (_isEnded || Volatile.Read(in _state) == Ended)
        {
            throw new ObjectDisposedException(objectName: null, "The batch is disposed: make another one.");
        }

        throw new InvalidOperationException(
            "The batch is in use by another call: give each thread and each awaited call a batch of its own.");
    }
}
