using System.Diagnostics;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The time by which a server or some of its threads must end. It is measured with the system's clock and not with the
/// server's TimeProvider, because it limits how long the server really waits for the system and for handlers. Any
/// thread may move it to an earlier time while other threads wait.
/// </summary>
internal sealed class StopDeadline : IDisposable
{
    /// <summary>
    /// How long a handler may take to return after the drain timeout before its thread counts as stuck. It is long
    /// enough that the threads of a busy machine do not count as stuck. The documentation of <see cref="UdpServer"/>
    /// states this time.
    /// </summary>
    private static readonly TimeSpan MaxReturnTime = TimeSpan.FromSeconds(2);

    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _wait = new();
    private long _drainUntil = long.MaxValue;
    private bool _disposed;

    /// <summary>Whether the drain timeout has passed, so that no more queued datagrams are handled.</summary>
    public bool IsDrainOver => Stopwatch.GetTimestamp() >= Volatile.Read(ref _drainUntil);

    /// <summary>
    /// Cancelled <see cref="MaxReturnTime"/> after the drain timeout: from then on the server no longer waits for
    /// threads with handlers.
    /// </summary>
    public CancellationToken WaitIsOver => _wait.Token;

    /// <summary>Makes a deadline whose drain timeout is over.</summary>
    public static StopDeadline AtOnce()
    {
        StopDeadline now = new();
        now.BringForward(TimeSpan.Zero);
        return now;
    }

    /// <summary>
    /// Sets the drain timeout as <see cref="BringForward(TimeSpan)"/> does, and ends it when the token is cancelled, as
    /// long as the result is not disposed.
    /// </summary>
    public CancellationTokenRegistration BringForward(TimeSpan drainTimeout, CancellationToken hurry)
    {
        BringForward(drainTimeout);
        return hurry.UnsafeRegister(static end => ((StopDeadline)end!).BringForward(TimeSpan.Zero), this);
    }

    /// <summary>Sets the drain timeout to this time from now, unless it already ends sooner.</summary>
    public void BringForward(TimeSpan drainTimeout)
    {
        Debug.Assert(drainTimeout >= TimeSpan.Zero, "A stop always has a limit; none would be a drain without end.");

        // A timer accepts at most about 49 days, and drainTimeout + MaxReturnTime must be less.
        drainTimeout = TimeSpan.FromMilliseconds(Math.Min(drainTimeout.TotalMilliseconds, int.MaxValue));
        long drainUntil = Stopwatch.GetTimestamp() + (long)(drainTimeout.TotalSeconds * Stopwatch.Frequency);
        lock (_lock)
        {
            if (_disposed || drainUntil >= _drainUntil) return;
            Volatile.Write(ref _drainUntil, drainUntil);
            _wait.CancelAfter(drainTimeout + MaxReturnTime);
        }
    }

    /// <summary>Called when the threads have ended. The deadline does not move any more.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _disposed = true;
            _wait.Dispose();
        }
    }
}
