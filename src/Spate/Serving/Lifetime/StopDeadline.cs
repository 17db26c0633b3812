using System.Diagnostics;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The time by which a server or some of its threads have to end. It is measured by the system's clock and not by the
/// server's, because it bounds waits for the system and for handlers. Any thread may bring it forward while others
/// wait.
/// </summary>
internal sealed class StopDeadline : IDisposable
{
    /// <summary>
    /// How long a handler may take to return after the time to drain is over, so that threads of a busy machine are not
    /// taken for stuck. <see cref="UdpServer"/> documents the figure.
    /// </summary>
    private static readonly TimeSpan MaxReturnTime = TimeSpan.FromSeconds(2);

    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _wait = new();
    private long _drainUntil = long.MaxValue;
    private bool _disposed;

    /// <summary>Whether the time to handle queued datagrams is over.</summary>
    public bool IsDrainOver => Stopwatch.GetTimestamp() >= Volatile.Read(ref _drainUntil);

    /// <summary>Cancelled when the wait for threads is over.</summary>
    public CancellationToken WaitIsOver => _wait.Token;

    /// <summary>Ends the time to drain after this time from now, unless it ends sooner already.</summary>
    public void BringForward(TimeSpan drainTimeout)
    {
        // A timer takes some 49 days at most, and the sum below must stay under that.
        drainTimeout = TimeSpan.FromMilliseconds(Math.Min(drainTimeout.TotalMilliseconds, int.MaxValue));
        long drainUntil = Stopwatch.GetTimestamp() + (long)(drainTimeout.TotalSeconds * Stopwatch.Frequency);
        lock (_lock)
        {
            if (_disposed || drainUntil >= _drainUntil) return;
            Volatile.Write(ref _drainUntil, drainUntil);
            _wait.CancelAfter(drainTimeout + MaxReturnTime);
        }
    }

    /// <summary>
    /// Called after the end. The time cannot be brought forward any more, and an attempt does no harm.
    /// </summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _disposed = true;
            _wait.Dispose();
        }
    }
}
