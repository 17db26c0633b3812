using System.Diagnostics;
using System.Text.Json;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

public sealed class SentReportTests
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(60, 60)]
    [InlineData(61, 31)]
    [InlineData(86_400, 60)]
    public void Merge_ManyIntervals_KeepsTheirSums(int count, int expected)
    {
        IntervalReport[] merged =
            SentReport.Merge([.. Enumerable.Range(0, count).Select(static i => Interval(i, 1, 1))]);

        Assert.Equal(expected, merged.Length);
        Assert.Equal(count, merged.Sum(static one => one.Datagrams));
        Assert.Equal(count, merged.Sum(static one => one.Seconds));
        double at = 0;
        foreach (IntervalReport one in merged)
        {
            Assert.Equal(at, one.StartSeconds);
            Assert.Equal(one.Datagrams, one.Threads[0].Datagrams);
            at += one.Seconds;
        }
    }

    [Fact]
    public void Merge_LargestHost_TakesTimeInProportionToItsCpus()
    {
        // If a CPU were looked for among all others, this would take minutes.
        CpuReport[] even = [.. Enumerable.Range(0, 8192).Select(static i => Core(2 * i))];
        CpuReport[] odd = [.. Enumerable.Range(0, 8192).Select(static i => Core((2 * i) + 1))];
        ThreadIntervalReport[] threads = Interval(0, threadCount: 8192, coreCount: 0).Threads;
        long start = Stopwatch.GetTimestamp();

        IntervalReport merged = SentReport.Merge([.. Enumerable.Range(0, 60 * 8).Select(i => new IntervalReport
        {
            Seconds = 1,
            Cores = i % 2 == 0 ? even : odd,
            Threads = threads,
        })])[0];

        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, TimeSpan.FromSeconds(60));
        Assert.Equal(Enumerable.Range(0, 2 * 8192), merged.Cores.Select(static core => core.Cpu));
        Assert.All(merged.Cores, static core =>
        {
            Assert.Equal(12.34 / 2, core.BusyPercent, 0.1);
            Assert.Equal(4 * 123_456, core.ReceiveInterrupts);
        });
        Assert.All(merged.Threads, static thread => Assert.Equal(8, thread.Datagrams));
    }

    [Fact]
    public void Shorten_HugeReport_FitsEasily()
    {
        var huge = new TrafficReport
        {
            Kind = "receive",
            Intervals = [.. Enumerable.Range(0, 86_400).Select(static i => Interval(i, threadCount: 2, coreCount: 16))],
            Cores = [.. Enumerable.Range(0, 8192).Select(static cpu => Core(cpu))],
        };

        TestEndReport shorter = SentReport.Shorten(new TestEndReport { Sent = huge with { }, Received = huge });

        byte[] json = JsonSerializer.SerializeToUtf8Bytes(shorter, SessionJson.Default.TestEndReport);
        Assert.InRange(json.Length, 1, ReportParts.MaxReportBytes / 2);
        TestEndReport read = Assert.IsType<TestEndReport>(TestEndReport.Read(json));
        Assert.Equal(SentReport.MaxIntervals, read.Received!.Intervals.Length);
        Assert.All(read.Received.Intervals, static one => Assert.Equal((2, 8), (one.Threads.Length, one.Cores.Length)));
        Assert.Equal(SentReport.MaxCores, read.Received.Cores.Length);
        Assert.Contains(7, read.Received.Cores.Select(static core => core.Cpu));
    }

    [Fact]
    public void Shorten_ManyThreads_LeavesThemOutOfTheIntervals()
    {
        var report = new TrafficReport { Kind = "send", Intervals = [Interval(0, threadCount: 9, coreCount: 2)] };

        IntervalReport interval = SentReport.Shorten(new TestEndReport { Sent = report }).Sent!.Intervals[0];

        Assert.Empty(interval.Threads);
        Assert.Equal(2, interval.Cores.Length);
    }

    private static IntervalReport Interval(int index, int threadCount, int coreCount) => new()
    {
        StartSeconds = index,
        Seconds = 1,
        Datagrams = 1,
        Threads = [.. Enumerable.Range(0, threadCount).Select(
            static i => new ThreadIntervalReport { Role = "receive", Index = i, Datagrams = 1, Calls = 1 })],
        Cores = [.. Enumerable.Range(0, coreCount).Select(static cpu => Core(cpu))],
    };

    private static CpuReport Core(int cpu) => new()
    {
        Cpu = cpu,
        BusyPercent = 12.34,
        UserPercent = 1.23,
        SystemPercent = 5.55,
        SoftirqPercent = 3.33,
        IdlePercent = 87.66,
        ReceiveInterrupts = 123_456,
        OwnPercent = 11.11,
        Roles = cpu == 7 ? ["receive", "interrupts"] : [],
    };
}
