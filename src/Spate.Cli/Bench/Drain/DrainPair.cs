using Spate.Cli.Bench.Batched;

namespace Spate.Cli.Bench.Drain;

/// <summary>Both ends of one row of the drain bench. One thread fills the queue and then drains it.</summary>
internal abstract class DrainPair : IDisposable
{
    public abstract int BufferGrantedBytes { get; }

    /// <summary>Sum of peer ports and first bytes, so that the compiler cannot leave out reading them.</summary>
    public long Checksum { get; protected set; }

    public virtual long GsoFallbacks => 0;

    /// <summary>Writes 8 bytes into each datagram and sends it; returns how many the system accepted.</summary>
    public abstract int Fill(int count);

    /// <summary>Receives until <paramref name="count"/> have come or none is left; returns how many came.</summary>
    public abstract int Drain(int count);

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    protected abstract void Close();
}

/// <summary>A row of the drain bench. <paramref name="Row"/> is null for those of System.Net.Sockets.</summary>
/// <param name="Open">Opens both ends for a size and a receive buffer, both in bytes.</param>
internal sealed record DrainTarget(string Name, SpateRow? Row, Func<int, int, DrainPair> Open)
{
    public string? UnavailableReason => Row?.UnavailableReason;
}
