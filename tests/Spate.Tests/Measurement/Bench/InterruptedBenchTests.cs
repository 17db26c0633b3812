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

namespace Spate.Tests.Measurement.Bench;

/// <summary>
/// Every bench that is interrupted in its second round reports the first. RoundRunnerTests has the rules of the rounds.
/// </summary>
[QuietHost("it loads the CPUs, and others would be measured")]
public sealed class InterruptedBenchTests
{
    [Fact]
    public void Throughput_InTheSecondRound_GivesTheFirst()
    {
        var options = new BenchOptions
        {
            SizesBytes = [64],
            RowNames = ["socket-blocking", "socket-async"],
            Budget = TimeSpan.FromSeconds(4),
        };

        Assert.Equal(1, Interrupt((progress, token) => BenchRun.Execute(options, progress, token)).Rounds);
    }

    [Fact]
    public void Drain_InTheSecondRound_GivesTheFirst()
    {
        var options = new DrainOptions { SizesBytes = [64], DatagramCount = 640 };

        DrainReport report = Interrupt((progress, token) => DrainRun.Execute(options, progress, token));

        Assert.All(report.Rows, static row => Assert.Single(row.Samples));
    }

    [Fact]
    public void Sessions_InTheSecondRound_GivesTheFirstWithoutAging()
    {
        var options = new SessionsOptions
        {
            PeerCounts = [10],
            SizesBytes = [64],
            DatagramCount = 640,
            Budget = TimeSpan.FromSeconds(2),
        };

        SessionsReport report = Interrupt((progress, token) => SessionsRun.Execute(options, progress, token));

        Assert.Equal((1, 0), (report.Rounds, report.AgingPasses));
    }

    [Fact]
    public void Sockets_InTheSecondRound_GivesTheFirstOfTheFirstNumber()
    {
        var options = new SocketsOptions { SocketCounts = [2, 3], Budget = TimeSpan.FromMinutes(10) };

        SocketsReport report = Interrupt((progress, token) => SocketsRun.Execute(options, progress, token));

        Assert.All(report.Rows, static row => Assert.Equal((2, 1), (row.Sockets, row.Samples.Length)));
    }

    [Fact]
    public void PingPong_InTheSecondRound_GivesTheFirstWithoutIdleServers()
    {
        var options = new PingPongOptions { PingCount = 20, WarmUpTime = TimeSpan.Zero };

        PingPongReport report = Interrupt((progress, token) => PingPongRun.Execute(options, progress, token));

        Assert.All(report.Rows, static row => Assert.Single(row.Samples));
        Assert.Empty(report.Idle);
    }

    [Fact]
    public void Relay_InTheSecondRound_GivesTheFirst()
    {
        var options = new RelayOptions
        {
            RowNames = ["socket-async", "socket-blocking"],
            WithTrains = false,

            // Many rounds are short rounds, and a busy machine has time for two of them.
            DatagramsPerSecond = 20_000,
            RoundCount = 21,
            Budget = TimeSpan.FromSeconds(8),
        };

        RelayReport report = Interrupt((progress, token) => RelayRun.Execute(options, progress, token));

        Assert.All(report.Rows, static row => Assert.Single(row.Samples));
    }

    [Fact]
    public void Designs_InTheSecondRound_GivesTheFirst()
    {
        var options = new DesignOptions { RowNames = ["drain", "ring"], Count = 5000, ThreadCounts = [1] };

        Assert.Equal(1, Interrupt((progress, token) => DesignRun.Execute(options, progress, token)).Rounds);
    }

    [Fact]
    public void Sweep_InTheSecondRound_GivesTheFirst()
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

    private static T Interrupt<T>(Func<IProgress<BenchStep>, CancellationToken, T> bench)
        where T : RoundsReport
    {
        using var interrupt = CancellationTokenSource.CreateLinkedTokenSource(
            TestContext.Current.CancellationToken);
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
