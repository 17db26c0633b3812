using Spate.Cli.Bench.Batched;

namespace Spate.Cli.Bench.Drain;

/// <summary>Both ends of one row of the drain bench. One thread fills the queue and then drains it.</summary>
internal abstract class DrainPair : IDisposable
{
    /// <summary>The receive buffer that the system granted, in bytes.</summary>
    public abstract int BufferGrantedBytes { get; }

    /// <summary>Sum of peer ports and first bytes, so that the compiler cannot leave out reading them.</summary>
    public long Checksum { get; protected set; }

    /// <summary>GSO messages that the route refused; their datagrams were sent plainly.</summary>
    public virtual long GsoFallbacks => 0;

    /// <summary>Writes 8 bytes into each of <paramref name="count"/> datagrams and sends them.</summary>
    /// <returns>The number of datagrams that the system accepted.</returns>
    public abstract int Fill(int count);

    /// <summary>Receives and reads datagrams until <paramref name="count"/> have come or the queue is empty.</summary>
    /// <returns>The number of datagrams received.</returns>
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
/// <param name="Name">The row's name.</param>
/// <param name="Row">What the library's rows open; null for those of System.Net.Sockets.</param>
/// <param name="Open">Opens both ends for a size and a receive buffer, both in bytes.</param>
internal sealed record DrainTarget(string Name, SpateRow? Row, Func<int, int, DrainPair> Open)
{
    /// <summary>Why the row cannot run on this machine; null when it can.</summary>
    public string? UnavailableReason => Row?.UnavailableReason;
}
