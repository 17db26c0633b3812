namespace Spate.Sockets;

/// <summary>
/// The reaction of one receive call to errors: the call must not end, spin or miss a datagram. After an ICMP error the
/// call is repeated at once, without a pause. An error that lasts pauses the call for 1 ms, doubling to 1 s.
/// </summary>
internal struct ReceiveBackOff
{
    private const int MaxPauseMilliseconds = 1000;

    /// <summary>
    /// Only this many consecutive errors empty the error queue. Reading the queue makes its next error pending again
    /// (sock_dequeue_err_skb). If errors come faster than they are read, emptying the queue would never end.
    /// </summary>
    private const int MaxDrainCount = 8;

    /// <summary>
    /// The most consecutive calls without a pause. A call that reports an error has cleared it (sock_error). So the
    /// next call looks at the datagram queue, unless another error came within the microsecond between the two calls.
    /// All of these calls fail only if the reason is not an ICMP error but, for instance, a security module that
    /// forbids the call.
    /// </summary>
    public const int MaxAttemptCount = 72;

    private int _pauseMilliseconds;
    private int _errorCount;

    /// <summary>
    /// Whether the last call reported an ICMP error. The next call must then not wait in the system, because after a
    /// wait a new error looks like an error that lasts.
    /// </summary>
    public readonly bool HasErrorsInRow => _errorCount > 0;

    /// <summary>
    /// A call reported an ICMP error. True: repeat the call at once. False: the error lasts, whatever its name.
    /// </summary>
    /// <param name="maxAttemptCount">The most consecutive calls without a pause.</param>
    /// <param name="readsErrorQueue">Whether to empty the error queue first.</param>
    public bool OnPendingError(int maxAttemptCount, out bool readsErrorQueue)
    {
        readsErrorQueue = ++_errorCount <= MaxDrainCount;
        if (_errorCount < maxAttemptCount) return true;

        // Not 0: the next call must not wait in the system either.
        _errorCount = 1;
        return false;
    }

    /// <summary>A call found nothing, so no error lasts.</summary>
    public void OnEmpty() => _errorCount = _pauseMilliseconds = 0;

    public int NextPauseMilliseconds()
    {
        _pauseMilliseconds = Math.Clamp(_pauseMilliseconds * 2, 1, MaxPauseMilliseconds);
        return _pauseMilliseconds;
    }
}
