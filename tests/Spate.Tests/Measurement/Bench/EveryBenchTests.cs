using System.Diagnostics;
using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Designs;
using Spate.Measurement.Bench.Drain;
using Spate.Measurement.Bench.PingPong;
using Spate.Measurement.Bench.Relay;
using Spate.Measurement.Bench.Sessions;
using Spate.Measurement.Bench.Sockets;
using Spate.Measurement.Bench.Sweep;
using Spate.Measurement.Bench.Throughput;

namespace Spate.Tests.Measurement.Bench;

/// <summary>Every bench keeps to its budget, and needs a loopback interface.</summary>
[QuietHost("it loads the CPUs, and others would be measured")]
public sealed class EveryBenchTests
{
    // Without a bound, each bench would take minutes or hours. A busy machine may take several times the budget.
    private static readonly TimeSpan Hang = TimeSpan.FromSeconds(30);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void PingPong_TenMillionPings_EndsWithThoseThereWasTimeFor()
    {
        long start = Stopwatch.GetTimestamp();
        PingPongReport result = PingPongRun.Execute(
            new PingPongOptions
            {
                PingCount = PingPongOptions.MaxPingCount,
                RoundCount = 1,
                Budget = TimeSpan.FromSeconds(1),
                IdleDuration = TimeSpan.FromMilliseconds(1),
            },
            cancellationToken: Cancellation);

        Assert.True(Stopwatch.GetElapsedTime(start) < Hang);
        Assert.False(result.Interrupted);
        Assert.All(result.Rows, row => Assert.InRange(row.Pings, 1, PingPongOptions.MaxPingCount - 1));
    }

    [Fact]
    public void Designs_MostDatagrams_EndsWithThoseThereWasTimeFor()
    {
        long start = Stopwatch.GetTimestamp();
        DesignsReport result = DesignRun.Execute(
            new DesignOptions
            {
                RowNames = ["one-by-one"],
                Count = DesignOptions.MaxCount,
                RoundCount = 1,
                WorkRounds = [0],
                ThreadCounts = [1],
                Budget = TimeSpan.FromSeconds(1),
            },
            cancellationToken: Cancellation);

        Assert.True(Stopwatch.GetElapsedTime(start) < Hang);
        DesignRow row = Assert.Single(result.Rows);
        Assert.InRange(row.Threads.Sum(thread => thread.Datagrams), 1, DesignOptions.MaxCount - 1);
        Assert.Contains("there was time to send", Assert.Single(result.Notes), StringComparison.Ordinal);
    }

    [Fact]
    public void Relay_LeastRate_RelaysSomething()
    {
        RelayReport result = RelayRun.Execute(
            new RelayOptions
            {
                RowNames = ["socket-blocking"],
                DatagramsPerSecond = RelayOptions.MinRate,
                RoundCount = 1,
                Budget = TimeSpan.FromSeconds(1),
            },
            cancellationToken: Cancellation);

        Assert.Equal(2, result.Rows.Length);
        Assert.All(result.Rows, row => Assert.True(row.DatagramsPerSecond > 0));
    }

    [Fact]
    public async Task EveryBench_WithoutLoopback_FailsAtOnceWithOneReason()
    {
        using var network = new NetworkNamespace();
        network.Ip("link set lo down");
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
