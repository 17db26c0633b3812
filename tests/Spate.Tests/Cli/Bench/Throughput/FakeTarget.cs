using System.Net;
using Spate.Cli.Bench.Targets;

namespace Spate.Tests.Cli.Bench.Throughput;

/// <summary>A row without sockets. The sender adds to the counts of the receiver, and loses one of every few.</summary>
internal sealed class FakeTarget(string name, int loseOneOf = 0) : BenchTarget
{
    private BenchCounters? _counters;

    public override string Name => name;

    public override string? UnavailableReason => Unavailable;

    public string? Unavailable { get; init; }

    public bool NothingArrives { get; init; }

    public bool SenderFails { get; init; }

    /// <summary>What arrived in the last round.</summary>
    public long Arrived => _counters?.Datagrams ?? 0;

    /// <summary>The request of the last round.</summary>
    public BenchSetup? Setup { get; private set; }

    public override BenchReceiver CreateReceiver(BenchSetup setup)
    {
        Setup = setup;
        var receiver = new Receiver();
        _counters = receiver.Counters;
        return receiver;
    }

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) =>
        new Sender(this, _counters!, setup.SizeBytes);

    private sealed class Receiver : BenchReceiver
    {
        private readonly ManualResetEventSlim _stopped = new();

        public override IPEndPoint LocalEndPoint => new(IPAddress.Loopback, 1);

        public override int BufferGrantedBytes => 1000;

        public override void Run() => _stopped.Wait();

        public override void Stop() => _stopped.Set();

        public override void Dispose() => _stopped.Set();
    }

    private sealed class Sender(FakeTarget target, BenchCounters counters, int sizeBytes) : BenchSender
    {
        private const int BurstCount = 100;

        private bool _primed;

        public override int Send(int count) => throw new NotSupportedException();

        public override int SendBurst()
        {
            if (target.SenderFails && _primed) throw new InvalidOperationException("the sender's fault");

            // The first burst is not counted, so it loses nothing.
            int lost = !_primed || target.LoseOneOf == 0 ? 0 : BurstCount / target.LoseOneOf;
            _primed = true;
            if (!target.NothingArrives) counters.Add(BurstCount - lost, (long)(BurstCount - lost) * sizeBytes, 0);
            return BurstCount;
        }

        public override void Dispose()
        {
        }
    }

    private int LoseOneOf => loseOneOf;
}
