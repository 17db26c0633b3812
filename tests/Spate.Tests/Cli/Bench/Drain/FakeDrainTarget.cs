using System.Net;
using Spate.Cli.Bench.Targets;

namespace Spate.Tests.Cli.Bench.Drain;

/// <summary>A row with a queue without sockets. A datagram takes the time that a test names.</summary>
/// <param name="time">The clock that goes on.</param>
/// <param name="microseconds">Draining a datagram, by the number of earlier drains.</param>
internal sealed class FakeDrainTarget(string name, JumpingTime time, Func<int, double> microseconds) : BenchTarget
{
    public override string Name => name;

    public double FillMicroseconds { get; init; }

    /// <summary>The drain that loses a datagram, from 0.</summary>
    public int LossyDrain { get; init; } = -1;

    /// <summary>What opening it throws; null for nothing.</summary>
    public Exception? Fault { get; init; }

    public int Opened { get; private set; }

    public bool IsClosed { get; private set; }

    public override BenchReceiver CreateReceiver(BenchSetup setup)
    {
        if (Fault is not null) throw Fault;

        Opened++;
        return new Receiver(this);
    }

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) => new Sender(this);

    private void Take(double us) => time.Advance(TimeSpan.FromMicroseconds(us));

    private double MicrosecondsOf(int drain) => microseconds(drain);

    private sealed class Receiver(FakeDrainTarget target) : BenchReceiver
    {
        private int _drains;

        public override IPEndPoint LocalEndPoint => new(IPAddress.Loopback, 1);

        public override int BufferGrantedBytes => 1 << 20;

        public override void Run() => throw new NotSupportedException();

        public override int Drain(int count)
        {
            target.Take(count * target.MicrosecondsOf(_drains));
            return _drains++ == target.LossyDrain ? count - 1 : count;
        }

        public override void Stop() => throw new NotSupportedException();

        public override void Dispose() => target.IsClosed = true;
    }

    private sealed class Sender(FakeDrainTarget target) : BenchSender
    {
        public override long GsoFallbacks => 3;

        public override int Send(int count)
        {
            target.Take(count * target.FillMicroseconds);
            return count;
        }

        public override void Dispose()
        {
            // Nothing is open.
        }
    }
}
