using Spate.Cli.Bench.Sockets;

namespace Spate.Tests.Cli.Bench.Sockets;

/// <summary>Sockets that are not there, with two ways to empty them.</summary>
/// <param name="time">The clock that goes on.</param>
/// <param name="count">The number of sockets.</param>
internal sealed class FakeSocketSet(JumpingTime time, int count) : ISocketSet
{
    public int Count => count;

    public FakeMode Slow { get; } = new(time, "slow");

    public FakeMode Fast { get; } = new(time, "fast");

    public int Fills { get; private set; }

    public int Discards { get; private set; }

    public bool IsClosed { get; private set; }

    public IReadOnlyList<SocketsMode> CreateModes(int sizeBytes) => [Slow, Fast];

    public long Fill(int queuedCount, int sizeBytes)
    {
        Fills++;
        return (long)queuedCount * count;
    }

    public void Discard() => Discards++;

    public void Dispose() => IsClosed = true;
}

/// <summary>A way in which a datagram takes a time that a test names.</summary>
internal sealed class FakeMode(JumpingTime time, string name) : SocketsMode
{
    private int _drains;

    public override string Name => name;

    /// <summary>Draining a datagram, by the number of earlier drains.</summary>
    public Func<int, double> Microseconds { get; set; } = static _ => 1;

    /// <summary>The drain that loses a datagram, from 0.</summary>
    public int LossyDrain { get; set; } = -1;

    public override long Drain(long count)
    {
        time.Advance(TimeSpan.FromMicroseconds(count * Microseconds(_drains)));
        return _drains++ == LossyDrain ? count - 1 : count;
    }
}
