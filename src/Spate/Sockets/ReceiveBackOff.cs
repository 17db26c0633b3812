namespace Spate.Sockets;

/// <summary>
/// What one receive call does after errors, so that it neither ends nor spins nor misses a datagram. An ICMP error
/// never pauses: the call is made again at once. An error that lasts pauses for 1 ms, doubling to 1 s.
/// </summary>
internal struct ReceiveBackOff
{
    private const int MaxPauseMilliseconds = 1000;

    /// <summary>
    /// So many errors in a row empty the queue of errors. Reading it announces the next one in it anew
    /// (sock_dequeue_err_skb), so where errors come faster than they are read, that would never end.
    /// </summary>
    private const int MaxDrainCount = 8;

    /// <summary>
    /// So many calls are made at once in all. A call that tells an error has cleared it (sock_error), so the next
    /// one looks at the queue of datagrams unless an error came within the microsecond between the two. All of them
    /// fail only where the reason is no ICMP error, but for instance a security module that forbids the call.
    /// </summary>
    public const int MaxAttemptCount = 72;

    private int _pauseMilliseconds;
    private int _errorCount;

    /// <summary>
    /// Whether the last call told an ICMP error. The next one must not wait in the system: there, one that waited and
    /// one that lasts look alike.
    /// </summary>
    public readonly bool HasErrorsInRow => _errorCount > 0;

    /// <summary>
    /// A call told an ICMP error. True: make it again at once. False: the error lasts, whatever its name.
    /// </summary>
    /// <param name="maxAttemptCount">How many calls are made at once.</param>
    /// <param name="readsErrorQueue">Whether to empty the queue of errors first.</param>
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
