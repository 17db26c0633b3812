using Spate.Measurement;
using Spate.Measurement.Bench.Designs;
using Spate.Serving;

namespace Spate.Tests.Bench;

public sealed class DesignRowResultTests
{
    [Fact]
    public void Of_ThreeRounds_HasMediansAndTheMiddleRoundsThreads()
    {
        DesignRowResult row = DesignRowResult.Of(
            DesignTarget.All[0], 8, 500, [Round(100, 90, 9000), Round(100, 100, 40_000), Round(100, 50, 10_000)]);

        Assert.Equal("one-by-one", row.Name);
        Assert.Equal((8, 500, 3), (row.ThreadCount, row.WorkRounds, row.RoundCount));
        Assert.Equal(200, row.NanosecondsPerDatagram);
        Assert.Equal(150, row.SpreadPercent);
        Assert.Equal(80, row.ProcessedPercent);
        Assert.Equal(45, row.DatagramsPerSecond);
        Assert.Equal(50, Assert.Single(row.Threads).Datagrams);
        Assert.Equal((300, 240, 60), (row.Sent, row.Handled, row.KernelDrops));
    }

    [Fact]
    public void Of_SystemThatDoesNotTell_IsNullNotZero()
    {
        DesignMeasurement silent = Round(10, 10, 1) with
        {
            ServerCpuNanoseconds = null,
            GeneratorCpuNanoseconds = null,
            Interrupts = null,
            LockedBytes = null,
            KernelDrops = null,
        };

        DesignRowResult row = DesignRowResult.Of(DesignTarget.All[0], 1, 0, [silent, Round(10, 10, 1), silent]);

        Assert.Null(row.KernelDrops);
        Assert.Null(DesignRowResult.Of(DesignTarget.All[0], 1, 0, [silent]).NanosecondsPerDatagram);
        Assert.Null(DesignRowResult.Of(DesignTarget.All[0], 1, 0, [silent]).InterruptsPerSecond);
        Assert.Null(DesignRowResult.Of(DesignTarget.All[0], 1, 0, [silent]).LockedBytes);
    }

    [Fact]
    public void Usage_OfAnotherThread_IsThatThreads()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "threads are in /proc on Linux only");
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
            _ => new CountingHandler(0));

        using (var meters = new ServerThreadMeters(server))
        {
            Assert.True(Assert.Single(meters.Read()).CpuNanoseconds > 0);
        }

        using var none = new ThreadMeter(int.MaxValue);
        Assert.Null(none.Usage.CpuNanoseconds);
    }

    [Fact]
    public void HostCounts_Linux_CountsInterrupts()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "interrupts are counted in /proc on Linux only");
        HostCounts first = HostCounts.Read();
        HostCounts between = HostCounts.Read() - first;

        Assert.True(first.Interrupts > 0);
        Assert.True(between.Interrupts >= 0);
        Assert.True(between.BacklogDrops >= 0);
        Assert.True(SystemUsage.LockedBytes >= 0);
    }

    private static DesignMeasurement Round(long sent, long handled, long cpuNanoseconds) => new()
    {
        Sent = sent,
        Handled = handled,
        KernelDrops = sent - handled,
        BacklogDrops = 0,
        Refused = 0,
        Elapsed = TimeSpan.FromSeconds(2),
        Sending = TimeSpan.FromSeconds(1),
        GeneratorCpuNanoseconds = 5,
        ServerCpuNanoseconds = cpuNanoseconds,
        AllocatedBytes = 0,
        Interrupts = 4,
        LockedBytes = 0,
        BufferGrantedBytes = 4096,
        Backend = UdpBackend.Portable,
        Demotions = 0,
        Threads =
        [
            new DesignThread
            {
                IsReceiver = false,
                Datagrams = handled,
                Calls = 1,
                LeastPerCall = (int)handled,
                MeanPerCall = handled,
                MostPerCall = (int)handled,
                VoluntarySwitches = null,
                InvoluntarySwitches = null,
                CpuNanoseconds = cpuNanoseconds,
            },
        ],
    };
}
