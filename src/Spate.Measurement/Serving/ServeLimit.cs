namespace Spate.Measurement.Serving;

/// <summary>Tells when all handlers together have counted so many datagrams.</summary>
internal sealed class ServeLimit(long? datagramCount, Action onReached)
{
    private long _left = datagramCount ?? long.MaxValue;

    /// <summary>Whether there is a limit; without one a handler need not touch what all share.</summary>
    public bool IsSet => datagramCount is not null;

    public bool IsReached => IsSet && Volatile.Read(ref _left) <= 0;

    public void Take(int datagramCount)
    {
        if (Interlocked.Add(ref _left, -datagramCount) <= 0) onReached();
    }
}
