using System.Diagnostics;

namespace Spate.Serving.Shards;

/// <summary>
/// By when something of a server has to end, by the system's clock, since it is the system and handlers that are waited
/// for. Any thread may bring it forward while others wait for it.
/// </summary>
internal sealed class EndTime : IDisposable
{
    /// <summary>
    /// How long after the time to drain a handler may take to return: the threads of a busy machine are not taken for
    /// stuck. <see cref="UdpServer.StopAsync"/> tells of it.
    /// </summary>
    private static readonly TimeSpan Allowance = TimeSpan.FromSeconds(2);

    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _patience = new();
    private long _drainUntil = long.MaxValue;
    private bool _disposed;

    /// <summary>Whether nothing more may be handled of what is queued.</summary>
    public bool IsDrainOver => Stopwatch.GetTimestamp() >= Volatile.Read(ref _drainUntil);

    /// <summary>Cancelled when nobody is waited for any more.</summary>
    public CancellationToken PatienceIsOver => _patience.Token;

    /// <summary>From now on so long; a time that comes sooner stays.</summary>
    public void BringForward(TimeSpan drainTimeout)
    {
        // Bounded, since the longest times there are would overflow: a timer takes 24 days.
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
