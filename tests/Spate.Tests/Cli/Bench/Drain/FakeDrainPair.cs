using Spate.Cli.Bench.Drain;

namespace Spate.Tests.Cli.Bench.Drain;

/// <summary>A queue without sockets. A datagram takes the time that a test names.</summary>
/// <param name="time">The clock that goes on.</param>
/// <param name="microseconds">Draining a datagram, by the number of earlier drains.</param>
internal sealed class FakeDrainPair(JumpingTime time, Func<int, double> microseconds) : DrainPair
{
    private int _drains;

    public override int BufferGrantedBytes => 1 << 20;

    public override long GsoFallbacks => 3;

    public double FillMicroseconds { get; init; }

    /// <summary>The drain that loses a datagram, from 0.</summary>
    public int LossyDrain { get; init; } = -1;

    public bool IsClosed { get; private set; }

    public override int Fill(int count)
    {
        time.Advance(TimeSpan.FromMicroseconds(count * FillMicroseconds));
        return count;
    }

    public override int Drain(int count)
    {
        time.Advance(TimeSpan.FromMicroseconds(count * microseconds(_drains)));
        return _drains++ == LossyDrain ? count - 1 : count;
    }

    public override void Dispose() => IsClosed = true;
}
