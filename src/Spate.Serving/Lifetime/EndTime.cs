using System.Diagnostics;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The time by which something of a server has to end, by the system's clock, since the system and handlers are waited
/// for. Any thread may bring it forward while others wait for it.
/// </summary>
internal sealed class EndTime : IDisposable
{
    /// <summary>
    /// How long a handler may take to return after the time to drain is over: threads of a busy machine are not taken
    /// for stuck. The docs of <see cref="UdpServer"/> name it.
    /// </summary>
    private static readonly TimeSpan Allowance = TimeSpan.FromSeconds(2);

    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _patience = new();
    private long _drainUntil = long.MaxValue;
    private bool _disposed;

    /// <summary>Whether nothing more may be handled of what is queued.</summary>
    public bool IsDrainOver => Stopwatch.GetTimestamp() >= Volatile.Read(ref _drainUntil);

    /// <summary>Cancelled when the wait for threads is over.</summary>
    public CancellationToken PatienceIsOver => _patience.Token;

    /// <summary>The time to drain ends so long from now, unless it ends sooner already.</summary>
    public void BringForward(TimeSpan drainTimeout)
    {
        // A timer takes 24 days at most.
        drainTimeout = TimeSpan.FromMilliseconds(Math.Min(drainTimeout.TotalMilliseconds, int.MaxValue));
        long drainUntil = Stopwatch.GetTimestamp() + (long)(drainTimeout.TotalSeconds * Stopwatch.Frequency);
        lock (_lock)
        {
            if (_disposed || drainUntil >= _drainUntil) return;
            Volatile.Write(ref _drainUntil, drainUntil);
            _patience.CancelAfter(drainTimeout + Allowance);
        }
    }

    /// <summary>After the end.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _disposed = true;
            _patience.Dispose();
        }
    }
}
