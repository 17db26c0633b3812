using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Plan;
using Spate.Cli.Serve;
using Spate.Measurement.HostUse;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Tests.Measurement.Reports;

namespace Spate.Tests.Cli.Plan;

public sealed class PlanBasisReaderTests
{
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
            CpuUserSeconds = 99,
            Threads = [Handler(1_000_000), Handler(3_000_000)],
        };

        Assert.True(PlanBasisReader.TryRead(report, 200, out MeasuredCapacity? basis, out _));
        Assert.Equal(4000, basis.CpuNanosecondsPerDatagram!.Value, precision: 6);
        Assert.Equal(2 * 250_000, basis.CapacityPerSecond, precision: 3);
        Assert.Equal("serve, count, sharded", basis.Source);
    }

    [Fact]
    public void TryRead_ReceiverThatLostNothingAtMoreThanItsCpuTimeAllows_TakesTheRate()
    {
        TrafficReport report = Receiver(datagrams: 1_000_000, seconds: 1, cpuSeconds: 1.5);
        report.LostPercent = 0;

        Assert.True(PlanBasisReader.TryRead(report, 200, out MeasuredCapacity? basis, out _));
        Assert.Equal(1_000_000, basis.CapacityPerSecond);
    }

    [Fact]
    public void TryRead_MoreThreadsThanCpus_PlansTheCpus()
    {
        TrafficReport report = Receiver(1000, 1, 0.001);
        report.Cpus = 2;
        report.Threads = [.. Enumerable.Repeat(new ThreadReport { CpuNanoseconds = 1_000_000 / 64 }, 64)];

        Assert.True(PlanBasisReader.TryRead(report, 200, out MeasuredCapacity? basis, out _));
        Assert.Equal((2, 2_000_000.0), (basis.Threads, Math.Round(basis.CapacityPerSecond)));
    }

    [Fact]
    public void TryRead_ReceiverThatLost_IsNotPlannedAboveItsRate()
    {
        TrafficReport report = Receiver(500_000, 1, 0.1);
        report.LostPercent = 40;

        Assert.True(PlanBasisReader.TryRead(report, 200, out MeasuredCapacity? basis, out _));
        Assert.Equal(500_000, basis.CapacityPerSecond);
    }

    [Theory]
    [InlineData(1e308)]
    [InlineData(double.Epsilon)]
    [InlineData(-1)]
    public void TryRead_CpuTimeBeyondMeasure_IsRefused(double cpuSeconds)
    {
        TrafficReport report = Receiver(1000, 0, 0);
        report.Threads = [];
        report.CpuUserSeconds = cpuSeconds;

        Assert.False(PlanBasisReader.TryRead(report, 200, out _, out _));
    }

    [Fact]
    public void TryRead_TestInBothDirections_TakesTheServersReceivingThreads()
    {
        // The process's CPU time is that of sending and receiving.
        TrafficReport received = Receiver(1000, 1, 0.001);
        received.CpuUserSeconds = 0.7;
        var report = new TestReport
        {
            Directions =
            [
                new TestDirectionReport { From = "server", LostPercent = 50 },
                new TestDirectionReport { From = "client", LostPercent = 3 },
            ],
            Local = new TestEndReport { Received = Receiver(2000, 1, 0.1) },
            Remote = new TestEndReport
            {
                Sent = new TrafficReport { Kind = TrafficReport.SendKind, Threads = [Thread(5_000_000)] },
                Received = received,
            },
        };

        Assert.True(PlanBasisReader.TryRead(report, 200, out MeasuredCapacity? basis, out _));
        Assert.Equal(1000, basis.CpuNanosecondsPerDatagram!.Value, precision: 6);
        Assert.Equal((3, "test, received by the server"), (basis.LostPercent, basis.Source));

        received.Threads = [new ThreadReport()];

        Assert.True(PlanBasisReader.TryRead(report, 200, out basis, out _));
        Assert.Null(basis.CpuNanosecondsPerDatagram);
        Assert.Equal(1000, basis.CapacityPerSecond);
    }

    [Fact]
    public void TryRead_ReceiverWithoutTimesOfItsThreads_TakesTheProcessAndSaysSo()
    {
        TrafficReport report = Receiver(1000, 1, 0.001);
        report.Threads = [Thread(1_000_000), new ThreadReport()];
        report.CpuUserSeconds = 0.001;
        report.CpuSystemSeconds = 0.003;

        Assert.True(PlanBasisReader.TryRead(report, 200, out MeasuredCapacity? basis, out _));
        Assert.Equal(4000, basis.CpuNanosecondsPerDatagram!.Value, precision: 6);
        Assert.Contains(
            basis.Assumptions,
            static line => line.StartsWith("the CPU time is that of the whole process", StringComparison.Ordinal));
    }

    [Fact]
    public void TryRead_ServerThatSpins_PlansItsRateWithoutACpuShare()
    {
        var report = new ServeReport
        {
            Datagrams = 1000,
            Seconds = 2,
            Spins = true,
            CpuUserSeconds = 2,
            Threads = [Handler(2_000_000_000)],
        };

        Assert.True(PlanBasisReader.TryRead(report, 200, out MeasuredCapacity? basis, out _));
        Assert.Null(basis.CpuNanosecondsPerDatagram);
        Assert.Equal(500, basis.CapacityPerSecond);
        Assert.Contains(basis.Assumptions, static line => line.EndsWith(EndCpu.Spinning, StringComparison.Ordinal));
    }

    [Fact]
    public void TryRead_ThreadThatReceivesForOthers_IsALimitOfItsOwn()
    {
        ServerThreadReport reader = Handler(2_000_000);
        reader.Role = ServerThreadReport.ReceiveRole;
        var report = new ServeReport
        {
            Datagrams = 1000,
            Cpus = 8,
            Threads = [reader, Handler(500_000), Handler(500_000), Handler(500_000)],
        };

        Assert.True(PlanBasisReader.TryRead(report, 200, out MeasuredCapacity? basis, out _));
        Assert.Equal(3500, basis.CpuNanosecondsPerDatagram!.Value, precision: 6);
        Assert.Equal(500_000, basis.CapacityPerSecond, precision: 3);
    }

    [Theory]
    [InlineData(999, false)]
    [InlineData(1000, true)]
    [InlineData(-5, false)]
    public void TryRead_Datagrams_MustBeEnough(long datagrams, bool isRead) =>
        Assert.Equal(isRead, PlanBasisReader.TryRead(Receiver(datagrams, 1, 0.001), 200, out _, out _));

    [Fact]
    public void TryRead_FiguresThatNoMachineHas_AreRefused()
    {
        TrafficReport lost = Receiver(1000, 1, 0.001);
        lost.LostPercent = -1;
        TrafficReport size = Receiver(1000, 1, 0.001);
        size.SizeBytes = -200;
        TrafficReport rate = Receiver(long.MaxValue, 0.001, 0.001);
        foreach (Report report in (Report[])
        [
            lost, size, rate,
            new DrainReport { Rows = [Row("spate-mmsg", 200, -600)] },
            new DrainReport { Rows = [Row("spate-mmsg", 200, 0)] },
            new DrainReport { Rows = [Row("spate-mmsg", 200, 1e300)] },
            new DrainReport { Rows = [Row("spate-mmsg", -1, 600)] },
        ])
        {
            Assert.False(PlanBasisReader.TryRead(report, 200, out _, out string? error));
            Assert.StartsWith("it has impossible figures", error, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void TryRead_InterruptedBench_SaysHowManyRoundsItHas()
    {
        var report = new DrainReport { Interrupted = true, Rounds = 2, Rows = [Row("spate-mmsg", 200, 600)] };

        Assert.True(PlanBasisReader.TryRead(report, 200, out MeasuredCapacity? basis, out _));
        Assert.Contains("the bench was interrupted after 2 rounds", basis.Assumptions, StringComparer.Ordinal);
        Assert.True(basis.Interrupted);

        BenchReport bench = SampleReports.Bench();
        bench.Interrupted = true;

        Assert.True(PlanBasisReader.TryRead(bench, 200, out basis, out _));
        Assert.Equal((true, false, 31.5), (basis.Interrupted, basis.IsCoalesced, basis.DatagramsPerCall));
    }

    [Theory]
    [InlineData("gro", 10, true, 100.0)]
    [InlineData("gro", 1000, false, 1.0)]
    [InlineData("gro", 0, true, null)]
    [InlineData("gso", 10, false, 100.0)]
    public void TryRead_DatagramsPerCallWithCoalescing_MayBeGsoMessages(
        string offload, long calls, bool isCoalesced, double? perCall)
    {
        TrafficReport receiver = Receiver(1000, 1, 0.001);
        var server = new ServeReport { Datagrams = 1000, Seconds = 1, Threads = [Handler(1_000_000)] };
        foreach (EndReport end in (EndReport[])[receiver, server])
        {
            (end.Offloads, end.Calls) = ([offload], calls);

            Assert.True(PlanBasisReader.TryRead(end, 200, out MeasuredCapacity? basis, out _));
            Assert.Equal((isCoalesced, perCall), (basis.IsCoalesced, basis.DatagramsPerCall));
        }
    }

    [Theory]
    [InlineData("spate-mmsg-gso-gro")]
    [InlineData("spate-await")]
    [InlineData("socket-async")]
    public void TryRead_RowsOfGsoMessagesAlone_AreRefused(string name)
    {
        var drain = new DrainReport { Rows = [Row(name, 200, 100)] };

        Assert.False(PlanBasisReader.TryRead(drain, 200, out _, out string? error));
        Assert.StartsWith("the report of kind drain has no row spate-portable or spate-mmsg", error,
            StringComparison.Ordinal);
    }

    [Fact]
    public void TryRead_BenchAndDrain_TakeTheRowThatDoesNotCoalesceAtTheNearestSize()
    {
        var drain = new DrainReport
        {
            Rows = [Row("spate-mmsg-gso-gro", 200, 10), Row("spate-mmsg", 64, 500), Row("spate-mmsg", 1380, 800)],
        };

        Assert.True(PlanBasisReader.TryRead(drain, 200, out MeasuredCapacity? basis, out _));
        Assert.Equal(("drain, spate-mmsg", 500.0), (basis.Source, basis.CpuNanosecondsPerDatagram));
        Assert.NotEmpty(RoundsCapacity.RowNames);
        Assert.Subset(
            new HashSet<string>(ThroughputBench.RowNames, StringComparer.Ordinal),
            new HashSet<string>(RoundsCapacity.RowNames, StringComparer.Ordinal));
    }

    [Fact]
    public void TryRead_SenderOrEmptyReport_IsRefused()
    {
        Assert.False(PlanBasisReader.TryRead(
            new TrafficReport { Kind = TrafficReport.SendKind }, 200, out _, out string? sender));
        Assert.StartsWith("a sender's report does not show", sender, StringComparison.Ordinal);
        foreach ((Report empty, string expected) in ((Report, string)[])
        [
            (Receiver(0, 1, 0), "it has too few datagrams (0)"),
            (new DrainReport(), "the report of kind drain has no row"),
            (new BenchReport(), "the report of kind bench has no row"),
            (new TestReport(), "it has no receiving end"),
            (new DesignsReport(), "a report of kind designs does not show"),
            (new PlanReport(), "a report of kind plan does not show"),
        ])
        {
            Assert.False(PlanBasisReader.TryRead(empty, 200, out _, out string? error));
            Assert.StartsWith(expected, error, StringComparison.Ordinal);
        }
    }

    private static TrafficReport Receiver(long datagrams, double seconds, double cpuSeconds) => new()
    {
        Kind = TrafficReport.ReceiveKind,
        Datagrams = datagrams,
        Seconds = seconds,
        Cpus = 4,
        Threads = [Thread((long)(1e9 * cpuSeconds))],
    };

    private static ThreadReport Thread(long nanoseconds) => new() { CpuNanoseconds = nanoseconds };

    private static ServerThreadReport Handler(long nanoseconds) => new()
    {
        Role = ServerThreadReport.HandleRole,
        CpuNanoseconds = nanoseconds,
    };

    private static DrainRow Row(string name, int sizeBytes, double nanoseconds) => new()
    {
        Name = name,
        SizeBytes = sizeBytes,
        ReceiveNanosecondsPerDatagram = nanoseconds,
        SendNanosecondsPerDatagram = 1,
    };
}
