using Spate.Cli.Bench;
using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell;

namespace Spate.HostTests.Cli.Bench;

/// <summary>Every bench needs a loopback interface.</summary>
public sealed class EveryBenchTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task EveryBench_WithoutLoopback_FailsAtOnceWithOneReason()
    {
        using OwnNetwork network = OwnNetwork.Required(loopbackUp: false);
        List<Func<object>> benches =
        [
            static () => ThroughputBench.Define().Run(new ThroughputOptions(), cancellationToken: Cancellation),
            static () => DrainBench.Define().Run(new DrainOptions(), cancellationToken: Cancellation),
            static () => SessionsBench.Define().Run(new SessionsOptions(), cancellationToken: Cancellation),
            static () => SocketsBench.Define().Run(new SocketsOptions(), cancellationToken: Cancellation),
            static () => PingPongBench.Define().Run(new PingPongOptions(), cancellationToken: Cancellation),
            static () => RelayBench.Define().Run(new RelayOptions(), cancellationToken: Cancellation),
            static () => DesignsBench.Define().Run(new DesignOptions(), cancellationToken: Cancellation),
            static () => SweepBench.OfThroughput(new SweepOptions(), cancellationToken: Cancellation),
            static () => SweepBench.OfDrain(new SweepOptions(), cancellationToken: Cancellation),
        ];

        // Each waits for a datagram that cannot come, so all of them wait at once. The thread pool would start two.
        string[] messages = await Task.WhenAll(benches.Select(bench => Task.Factory.StartNew(
            () => network.Enter(() => Assert.Throws<BenchException>(bench).Message),
            Cancellation,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default)));
        Assert.All(messages, static message =>
        {
            Assert.StartsWith("No datagram arrives over the loopback interface (", message, StringComparison.Ordinal);
            Assert.EndsWith("ip link set lo up", message, StringComparison.Ordinal);
        });
    }
}
