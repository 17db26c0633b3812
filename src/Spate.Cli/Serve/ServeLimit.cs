namespace Spate.Cli.Serve;

/// <summary>Tells when all handlers together have counted a given number of datagrams.</summary>
internal sealed class ServeLimit(long? datagramCount, Action onReached)
{
    private long _left = datagramCount ?? long.MaxValue;

    /// <summary>Whether there is a limit. Without one, handlers need not touch the counter that all share.</summary>
    public bool IsSet => datagramCount is not null;

    public void Take(int datagramCount)
    {
        if (Interlocked.Add(ref _left, -datagramCount) <= 0) onReached();
    }
}
