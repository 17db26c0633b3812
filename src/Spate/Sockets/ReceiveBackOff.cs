using System.Diagnostics;

namespace Spate.Sockets;

/// <summary>
/// Decides how one receive reacts to errors: the receive must not end, spin or miss a datagram. After an ICMP error,
/// the system call is repeated at once. If errors persist, the receive pauses before the next call, for 1 ms at first,
/// then twice as long each time, up to 1 s.
/// </summary>
internal struct ReceiveBackOff
{
    private const int MaxPauseMilliseconds = 1000;

    /// <summary>
    /// After this many consecutive errors, the error queue is no longer emptied. Reading the queue makes its next error
    /// pending again (sock_dequeue_err_skb). If errors come faster than they are read, emptying the queue would never
    /// end.
    /// </summary>
    private const int MaxDrainCount = 8;

    /// <summary>
    /// The most consecutive calls that may fail without a pause between them. A call that reports an error has cleared
    /// it (sock_error). So the next call looks at the datagram queue, unless another error came within the microsecond
    /// between the two calls. If all of these calls fail, the reason is not an ICMP error but, for instance, a security
    /// module that forbids the call.
    /// </summary>
    public const int MaxAttemptCount = 72;

    private int _pauseMilliseconds;
    private int _errorCount;

    /// <summary>
    /// Whether the last call reported an ICMP error. If so, the next call must not wait in the system: an error that
    /// came during the wait would count as consecutive, and so as an error that persists.
    /// </summary>
    public readonly bool HasErrorsInRow => _errorCount > 0;

    /// <summary>
    /// Notes that a call reported an ICMP error. Returns true if the call should be repeated at once, and false if a
    /// pause should come first: the error persists, so its cause is not an ICMP message, although the errno looks like
    /// one.
    /// </summary>
    /// <param name="maxAttemptCount">The most consecutive calls that may fail without a pause between them.</param>
    /// <param name="readsErrorQueue">Whether to empty the error queue before the next call.</param>
    public bool OnPendingError(int maxAttemptCount, out bool readsErrorQueue)
    {
        Debug.Assert(maxAttemptCount is > 1 and <= MaxAttemptCount);
        readsErrorQueue = ++_errorCount <= MaxDrainCount;
        if (_errorCount < maxAttemptCount) return true;

        // 1 and not 0, so that HasErrorsInRow stays true: the call after the pause must not wait in the system either.
        _errorCount = 1;
        return false;
    }

    /// <summary>
    /// Notes that a call found no datagram and no error: the error does not persist, so the next pause is 1 ms again.
    /// </summary>
    public void OnEmpty() => _errorCount = _pauseMilliseconds = 0;

    public int NextPauseMilliseconds()
    {
        Debug.Assert(_pauseMilliseconds is >= 0 and <= MaxPauseMilliseconds, "The doubled pause cannot overflow.");
        _pauseMilliseconds = Math.Clamp(_pauseMilliseconds * 2, 1, MaxPauseMilliseconds);
        return _pauseMilliseconds;
    }
}
