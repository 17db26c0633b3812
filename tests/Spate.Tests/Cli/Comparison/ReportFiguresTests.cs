using Spate.Cli.Bench.PingPong;
using Spate.Cli.Comparison;
using Spate.Cli.Serve;
using Spate.Measurement.HostUse;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Cli.Comparison;

public sealed class ReportFiguresTests
{
    private const string Cpu = "threadNanosecondsPerDatagram";

    [Fact]
    public void Of_TestWithBothEndsInOneProcess_TakesEachRolesOwnThreads()
    {
        var report = new TestReport
        {
            Directions = [new TestDirectionReport { From = "client" }, new TestDirectionReport { From = "server" }],
            Local = new TestEndReport { Sent = End(100_000, 200_000), Received = End(30_000) },
            Remote = new TestEndReport { Sent = End(50_000), Received = End(70_000) },
        };

        Dictionary<string, double?> costs = report.Figures!
            .Where(static figure => figure.Name is Cpu)
            .ToDictionary(static figure => figure.Row, static figure => figure.Value, StringComparer.Ordinal);

        Assert.Equal(300, costs["client to server, sender"]);
        Assert.Equal(70, costs["client to server, receiver"]);
        Assert.Equal(50, costs["server to client, sender"]);
        Assert.Equal(30, costs["server to client, receiver"]);
    }

    [Fact]
    public void Of_EndThatSpins_HasNoCpuTime()
    {
        TrafficReport sender = End(1_000_000_000);
        sender.Spins = true;
        var server = new ServeReport { Datagrams = 1000, Spins = true, Threads = [new() { CpuNanoseconds = 1 }] };
        foreach (EndReport end in (EndReport[])[sender, server])
        {
            ComparedFigure cost = Assert.Single(end.Figures!, static figure => figure.Name is Cpu);

            Assert.Equal((null, EndCpu.Spinning), (cost.Value, cost.NoMeasure));
        }
    }

    [Theory]
    [InlineData(null)]
    [InlineData(-1L)]
    public void Of_ThreadWithoutItsTime_HasNoCpuTime(long? nanoseconds)
    {
        TrafficReport end = End(100_000);
        end.Threads = [.. end.Threads, new ThreadReport { CpuNanoseconds = nanoseconds }];

        ComparedFigure cost = Assert.Single(end.Figures!, static figure => figure.Name is Cpu);

        Assert.Equal((null, EndCpu.Unknown), (cost.Value, cost.NoMeasure));
    }

    [Fact]
    public void Of_PingPong_HasTheCpuShareOfWaysThatSleep()
    {
        var report = new PingPongReport { Rows = [Ping("spinning"), Ping("blocking")] };

        ComparedFigure[] shares = [.. report.Figures!.Where(static figure => figure.Name is "cpuPercent")];

        Assert.Equal((null, EndCpu.Spinning), (shares[0].Value, shares[0].NoMeasure));
        Assert.Equal((40.0, null), (shares[1].Value, shares[1].NoMeasure));
    }

    [Fact]
    public void TryCompare_OneSideSpins_HasNoVerdictAndSaysWhy()
    {
        TrafficReport spinning = End(1_000_000);
        spinning.Spins = true;

        Assert.True(ReportComparison.TryCompare(
            [.. Enumerable.Repeat(End(100_000), 5)], [.. Enumerable.Repeat(spinning, 5)], allowsDifferent: true,
            out CompareReport? comparison, out string? error), error);

        CompareRow row = Assert.Single(comparison.Rows, static one => one.Figure is Cpu);
        Assert.Equal((CompareRow.Unjudged, EndCpu.Spinning), (row.Verdict, row.Why));
    }

    private static TrafficReport End(params long[] nanoseconds) => new()
    {
        Kind = TrafficReport.SendKind,
        Datagrams = 1000,
        Seconds = 1,
        CpuUserSeconds = 99,
        Threads = [.. nanoseconds.Select(static one => new ThreadReport { CpuNanoseconds = one })],
    };

    private static PingPongRow Ping(string mode) => new()
    {
        Mode = mode,
        P50Microseconds = 1,
        P99Microseconds = 2,
        P999Microseconds = 3,
        CpuPercent = 40,
    };
}
