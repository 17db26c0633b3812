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
            static () => BenchRun.Execute(new BenchOptions(), cancellationToken: Cancellation),
            static () => DrainRun.Execute(new DrainOptions(), cancellationToken: Cancellation),
            static () => SessionsRun.Execute(new SessionsOptions(), cancellationToken: Cancellation),
            static () => SocketsRun.Execute(new SocketsOptions(), cancellationToken: Cancellation),
            static () => PingPongRun.Execute(new PingPongOptions(), cancellationToken: Cancellation),
            static () => RelayRun.Execute(new RelayOptions(), cancellationToken: Cancellation),
            static () => DesignRun.Execute(new DesignOptions(), cancellationToken: Cancellation),
            static () => SweepRun.OfThroughput(new SweepOptions(), cancellationToken: Cancellation),
            static () => SweepRun.OfDrain(new SweepOptions(), cancellationToken: Cancellation),
        ];

        // Each waits for a datagram that cannot come, so all of them wait at once. The thread pool would start two.
        string[] messages = await Task.WhenAll(benches.Select(bench => Task.Factory.StartNew(
            () => network.Enter(() => Assert.Throws<BenchException>(bench).Message),
            Cancellation,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default)));
        Assert.All(messages, static message =>
        {
            Assert.StartsWith("No datagram comes through the loopback interface (", message, StringComparison.Ordinal);
            Assert.EndsWith("ip link set lo up", message, StringComparison.Ordinal);
        });
    }
}
