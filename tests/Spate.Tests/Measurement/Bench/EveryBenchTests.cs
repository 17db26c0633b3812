using System.Diagnostics;
using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Designs;
using Spate.Measurement.Bench.Drain;
using Spate.Measurement.Bench.PingPong;
using Spate.Measurement.Bench.Relay;
using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Bench.Sessions;
using Spate.Measurement.Bench.Sockets;
using Spate.Measurement.Bench.Sweep;
using Spate.Measurement.Bench.Throughput;
using Spate.Measurement.Reports;
using Spate.Tests.Namespaces;

namespace Spate.Tests.Measurement.Bench;

/// <summary>Every bench keeps to its budget, ends with complete rounds, and needs a loopback interface.</summary>
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
                Budget = TimeSpan.FromSeconds(2),
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
                Budget = TimeSpan.FromSeconds(2),
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
                Budget = TimeSpan.FromSeconds(2),
            },
            cancellationToken: Cancellation);

        Assert.Equal(2, result.Rows.Length);
        Assert.All(result.Rows, row => Assert.True(row.DatagramsPerSecond > 0));
    }

    [Fact]
    public void EveryBench_InterruptedInTheSecondRound_GivesTheFirst()
    {
        Assert.Equal(1, Interrupt((progress, token) => BenchRun.Execute(
            new BenchOptions { SizesBytes = [64], RowNames = ["socket-blocking", "socket-async"] },
            progress,
            token)).Rounds);
        Assert.All(
            Interrupt((progress, token) => DrainRun.Execute(
                new DrainOptions { SizesBytes = [64], DatagramCount = 640 }, progress, token)).Rows,
            row => Assert.Single(row.Samples));
        SessionsReport sessions = Interrupt((progress, token) => SessionsRun.Execute(
            new SessionsOptions { PeerCounts = [10], SizesBytes = [64], DatagramCount = 640 }, progress, token));
        Assert.Equal(1, sessions.Rounds);
        Assert.Equal(0, sessions.AgingPasses);
        Assert.All(
            Interrupt((progress, token) => SocketsRun.Execute(
                new SocketsOptions { SocketCounts = [2, 3], Budget = TimeSpan.FromMinutes(10) }, progress, token)).Rows,
            row => Assert.Equal((2, 1), (row.Sockets, row.Samples.Length)));
        PingPongReport pings = Interrupt((progress, token) =>
            PingPongRun.Execute(new PingPongOptions { PingCount = 20 }, progress, token));
        Assert.All(pings.Rows, row => Assert.Single(row.Samples));
        Assert.Empty(pings.Idle);
        Assert.All(
            Interrupt((progress, token) => RelayRun.Execute(
                new RelayOptions { WithTrains = false, Budget = TimeSpan.FromSeconds(12) }, progress, token)).Rows,
            row => Assert.Single(row.Samples));
        Assert.Equal(1, Interrupt((progress, token) => DesignRun.Execute(
            new DesignOptions { RowNames = ["drain", "ring"], Count = 5000, ThreadCounts = [1] },
            progress,
            token)).Rounds);
    }

    [Fact]
    public void Sweep_InterruptedInTheSecondRound_GivesTheFirst()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.ProcessorCount > 1, "two CPUs of Linux are needed");
        var options = new SweepOptions { SizeBytes = 64, Budget = TimeSpan.FromSeconds(12) };

        foreach (SweepReport report in (SweepReport[])
            [
                Interrupt((progress, token) => SweepRun.OfThroughput(options, progress, token)),
                Interrupt((progress, token) => SweepRun.OfDrain(options, progress, token)),
            ])
        {
            Assert.Equal(1, report.Rounds);
            Assert.Null(report.Best);
            Assert.Empty(report.Repeated);
            Assert.All(report.Rows, row => Assert.Single(row.Samples));
            Assert.All(report.Rows, row => Assert.NotEmpty(report.FindLimit(row)!.Cores));
        }
    }

    [Fact]
    public void EveryBench_WithoutLoopback_FailsAtOnceWithOneReason()
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

        // Each waits for a datagram that cannot come, so all of them wait at once.
        string[] messages = [.. benches.AsParallel().WithDegreeOfParallelism(benches.Count).Select(
            bench => network.Enter(() => Assert.Throws<BenchException>(bench).Message))];
        Assert.Equal(benches.Count, messages.Length);
        Assert.All(messages, static message =>
        {
            Assert.StartsWith("No datagram comes through the loopback interface (", message, StringComparison.Ordinal);
            Assert.EndsWith("ip link set lo up", message, StringComparison.Ordinal);
        });
    }

    private static T Interrupt<T>(Func<IProgress<BenchStep>, CancellationToken, T> bench)
        where T : RoundsReport
    {
        using var interrupt = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        T report = bench(new Interrupter(interrupt), interrupt.Token);
        Assert.True(report.Interrupted);

        // Both ends of a bench are on the loopback, which Linux names lo.
        LinkReport link = Assert.Single(report.Links);
        if (OperatingSystem.IsLinux()) Assert.Equal("lo", link.Interface);
        return report;
    }

    private sealed class Interrupter(CancellationTokenSource interrupt) : IProgress<BenchStep>
    {
        public void Report(BenchStep value)
        {
            if (value.Round == 2) interrupt.Cancel();
        }
    }
}
