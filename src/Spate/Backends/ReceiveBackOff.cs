namespace Spate.Backends;

/// <summary>
/// Pauses after receives that failed for an unknown reason: 1 ms, doubling to 1 s, so that a receive loop neither ends
/// nor spins.
/// </summary>
internal struct ReceiveBackOff
{
    private const int PauseMillisecondsMax = 1000;

    private const int PendingErrorCountMax = 64;

    private int _pauseMilliseconds;
    private int _pendingErrorCount;

    /// <summary>
    /// Whether a pending error is one too many in a row: reporting clears it, so a state that reports for ever must
    /// not spin.
    /// </summary>
    public bool IsLastingError() => ++_pendingErrorCount > PendingErrorCountMax;

    public int NextPauseMilliseconds()
    {
        _pauseMilliseconds = Math.Clamp(_pauseMilliseconds * 2, 1, PauseMillisecondsMax);
        return _pauseMilliseconds;
    }
}
