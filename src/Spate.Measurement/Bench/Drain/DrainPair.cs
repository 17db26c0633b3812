using Spate.Measurement.Bench.Batched;

namespace Spate.Measurement.Bench.Drain;

/// <summary>Both ends of one row of the drain bench, used by one thread: fill, then drain.</summary>
internal abstract class DrainPair : IDisposable
{
    /// <summary>Receive buffer that the system granted, in bytes.</summary>
    public abstract int BufferGrantedBytes { get; }

    /// <summary>Sum over peers and first bytes; kept so that the reading cannot be optimised away.</summary>
    public long Checksum { get; protected set; }

    /// <summary>Trains that the route refused, so that their datagrams were sent plainly.</summary>
    public virtual long Demotions => 0;

    /// <summary>Sends <paramref name="count"/> datagrams, 8 bytes written into each.</summary>
    /// <returns>How many the system accepted.</returns>
    public abstract int Fill(int count);

    /// <summary>Visits what is queued; returns when nothing is, or after <paramref name="count"/>.</summary>
    /// <returns>How many came.</returns>
    public abstract int Drain(int count);

    /// <summary>Closes both sockets.</summary>
    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes both sockets.</summary>
    protected abstract void Close();
}

/// <summary>A row of the drain bench.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Row">What the library's rows open; null for the base library's.</param>
/// <param name="Open">Opens both ends for a size and a receive buffer, both in bytes.</param>
internal sealed record DrainTarget(string Name, SpateRow? Row, Func<int, int, DrainPair> Open)
{
    /// <summary>Why it cannot run here, found by a probe; null when it can.</summary>
    public string? UnavailableReason => Row?.UnavailableReason;
}
