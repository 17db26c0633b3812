using Spate.Measurement.Bench.Drain;
using Spate.Measurement.Bench.Throughput;
using Spate.Measurement.Planning;
using Spate.Measurement.Reports;
using Spate.Measurement.Serving;
using Spate.Measurement.Testing;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Planning;

public sealed class CapacityPlanTests
{
    private static readonly PlanBasis Machine = new(
        "bench, spate-mmsg", SizeBytes: 200, CapacityPerSecond: 100_000, MeasuredPerSecond: 100_000, LostPercent: 0,
        CpuNanosecondsPerDatagram: 1000, Threads: 1, Cpus: 2);

    [Fact]
    public void Make_45MillionADay_Is521ASecondAndOneSmallMachine()
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions { PerDay = 45_000_000, PeakPerSecond = 1000, CostPerMonth = 15.73 }, Machine);

        Assert.Equal(521, Math.Round(plan.AveragePerSecond));
        Assert.Equal(1000, plan.PeakPerSecond);
        Assert.Equal((1.0, 2.0), (plan.Machines, plan.MachinesWithSpare));
        Assert.Equal(100, plan.HeadRoom);
        Assert.Equal(0.1, plan.PeakCpuPercent, precision: 9);
        Assert.Equal(1_600_000, plan.PeakBitsPerSecond);

        // 200 ms at 1000/s, charged 2304 bytes each, of which the kernel grants twice what is asked.
        Assert.Equal(200, plan.StallDatagrams);
        Assert.Equal(200 * 2304 / 2, plan.BufferBytes);
        Assert.Equal(31.46, plan.CostPerMonth!.Value, precision: 9);
        Assert.Equal(31.46 / (45 * 365.25 / 12), plan.CostPerMillion!.Value, precision: 9);
    }

    [Fact]
    public void Make_NoPeak_TakesTwiceTheAverageAndSaysSo()
    {
        PlanReport plan = CapacityPlan.Make(new PlanOptions { PerDay = 86_400_000 }, Machine);

        Assert.Equal(2000, plan.PeakPerSecond);
        Assert.Contains(
            "the busiest second has 2 times the average of 1,000: --peak", plan.Assumptions, StringComparer.Ordinal);
        Assert.Null(plan.CostPerMillion);
    }

    [Theory]
    [InlineData(50_000, 50, 1)]
    [InlineData(50_001, 50, 2)]
    [InlineData(100_000, 100, 1)]
    [InlineData(1_000_000, 50, 20)]
    public void Make_Peak_IsSharedByMachinesUpToTheirLimit(int peak, double maxLoad, int machines)
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions
            {
                PerDay = 1,
                PeakPerSecond = peak,
                MaxLoadPercent = maxLoad,
                Stall = TimeSpan.FromSeconds(1),
            },
            Machine);

        Assert.Equal(machines, plan.Machines);
        Assert.Equal(machines + 1, plan.MachinesWithSpare);
        Assert.Equal(Math.Ceiling((double)peak / machines), plan.StallDatagrams);
    }

    [Fact]
    public void Make_BufferThatNoSocketCanHave_SaysSo()
    {
        PlanReport plan = CapacityPlan.Make(
            new PlanOptions { PerDay = 1_000_000_000_000, Stall = TimeSpan.FromHours(1) }, Machine);

        Assert.Contains(plan.Assumptions, static line => line.StartsWith("no socket can", StringComparison.Ordinal));
    }

    [Fact]
    public void TryRead_Server_TakesItsThreadsAndItsCpuTime()
    {
        var report = new ServeReport
        {
            App = "count",
            Design = "sharded",
            Datagrams = 1000,
            Seconds = 10,
            Cpus = 4,
            CpuUserSeconds = 0.001,
            CpuSystemSeconds = 0.003,
            Threads = [new ServeThreadReport(), new ServeThreadReport()],
        };

        Assert.True(PlanBasis.TryRead(report, 200, out PlanBasis? basis, out _));
        Assert.Equal(4000, basis.CpuNanosecondsPerDatagram, precision: 6);
        Assert.Equal(2 * 250_000, basis.CapacityPerSecond, precision: 3);
        Assert.Equal("serve, count, sharded", basis.Source);
    }

    [Fact]
    public void TryRead_ReceiverThatLostNothingAtMoreThanItsCpuTimeAllows_TakesTheRate()
    {
        TrafficReport report = Receiver(datagrams: 1_000_000, seconds: 1, cpuSeconds: 1.5);
        report.LostPercent = 0;

        Assert.True(PlanBasis.TryRead(report, 200, out PlanBasis? basis, out _));
        Assert.Equal(1_000_000, basis.CapacityPerSecond);
    }

    [Fact]
    public void TryRead_MoreThreadsThanCpus_PlansTheCpus()
    {
        TrafficReport report = Receiver(1000, 1, 0.001);
        report.Cpus = 2;
        report.Threads = [.. Enumerable.Repeat(new ThreadReport(), 64)];

        Assert.True(PlanBasis.TryRead(report, 200, out PlanBasis? basis, out _));
        Assert.Equal((2, 2_000_000.0), (basis.Threads, Math.Round(basis.CapacityPerSecond)));
    }

    [Fact]
    public void TryRead_ReceiverThatLost_IsNotPlannedAboveItsRate()
    {
        TrafficReport report = Receiver(500_000, 1, 0.1);
        report.LostPercent = 40;

        Assert.True(PlanBasis.TryRead(report, 200, out PlanBasis? basis, out _));
        Assert.Equal(500_000, basis.CapacityPerSecond);
    }

    [Theory]
    [InlineData(1e308)]
    [InlineData(double.Epsilon)]
    public void TryRead_CpuTimeBeyondMeasure_IsRefused(double cpuSeconds) =>
        Assert.False(PlanBasis.TryRead(Receiver(1, 1, cpuSeconds), 200, out _, out _));

    [Fact]
    public void TryRead_Test_TakesTheServersReceiver()
    {
        var report = new TestReport
        {
            Directions = [new TestDirectionReport { From = "server" }, new TestDirectionReport { From = "client" }],
            Local = new TestEndReport { Received = Receiver(10, 1, 0.1) },
            Remote = new TestEndReport { Received = Receiver(1000, 1, 0.001) },
        };

        Assert.True(PlanBasis.TryRead(report, 200, out PlanBasis? basis, out _));
        Assert.Equal(1000, basis.CpuNanosecondsPerDatagram, precision: 6);
    }

    [Fact]
    public void TryRead_BenchAndDrain_TakeTheRowThatDoesNotCoalesceAtTheNearestSize()
    {
        var drain = new DrainReport
        {
            Rows = [Row("spate-mmsg-gso-gro", 200, 10), Row("spate-mmsg", 64, 500), Row("spate-mmsg", 1380, 800)],
        };

        Assert.True(PlanBasis.TryRead(drain, 200, out PlanBasis? basis, out _));
        Assert.Equal(("drain, spate-mmsg", 500.0), (basis.Source, basis.CpuNanosecondsPerDatagram));
        Assert.NotEmpty(PlanBasis.BenchRowNames);
        Assert.Subset(
            new HashSet<string>(BenchRun.RowNames, StringComparer.Ordinal),
            new HashSet<string>(PlanBasis.BenchRowNames, StringComparer.Ordinal));
    }

    [Fact]
    public void TryRead_SenderOrEmptyReport_IsRefused()
    {
        Assert.False(PlanBasis.TryRead(
            new TrafficReport { Kind = TrafficReport.SendKind }, 200, out _, out string? sender));
        Assert.StartsWith("a sender's report does not tell", sender, StringComparison.Ordinal);
        foreach (Report empty in (Report[])[Receiver(0, 1, 0), new DrainReport(), new TestReport(), new PlanReport()])
        {
            Assert.False(PlanBasis.TryRead(empty, 200, out _, out string? error));
            Assert.StartsWith($"a report of kind {empty.Kind} in which nothing", error, StringComparison.Ordinal);
        }
    }

    private static TrafficReport Receiver(long datagrams, double seconds, double cpuSeconds) => new()
    {
        Kind = TrafficReport.ReceiveKind,
        Datagrams = datagrams,
        Seconds = seconds,
        CpuUserSeconds = cpuSeconds,
        Threads = [new ThreadReport()],
    };

    private static DrainRow Row(string name, int sizeBytes, double nanoseconds) => new()
    {
        Name = name,
        SizeBytes = sizeBytes,
        ReceiveNanosecondsPerDatagram = nanoseconds,
        SendNanosecondsPerDatagram = 1,
    };
}
