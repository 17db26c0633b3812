using Spate.Cli.Bench.Designs;

namespace Spate.Tests.Cli.Bench.Designs;

public sealed class DesignRowTests
{
    [Fact]
    public void Of_ThreeRounds_HasMediansAndTheMiddleRoundsThreads()
    {
        DesignRow row = DesignRow.Of(
            DesignTarget.All[0], 8, 500, [Round(100, 90, 9000), Round(100, 100, 40_000), Round(100, 50, 10_000)]);

        Assert.Equal("one-by-one", row.Design);
        Assert.Equal((8, 500), (row.ThreadCount, row.WorkRounds));
        Assert.Equal(200, row.NanosecondsPerDatagram);
        Assert.Equal(150, row.SpreadPercent);
        Assert.Equal(80, row.ProcessedPercent);
        Assert.Equal(45, row.DatagramsPerSecond);
        Assert.Equal(50, Assert.Single(row.Threads).Datagrams);
        Assert.Equal([100, 400, 200], row.Samples);
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

        DesignRow row = DesignRow.Of(DesignTarget.All[0], 1, 0, [silent]);

        Assert.Null(row.NanosecondsPerDatagram);
        Assert.Null(row.InterruptsPerSecond);
        Assert.Null(row.LockedBytes);
        Assert.Empty(row.Samples);
    }

    [Fact]
    public void Notes_DatagramsThatWereNotHandled_SayWhereTheyWent()
    {
        DesignMeasurement[] rounds = [Round(1000, 900, 1), Round(1000, 1000, 1) with { BacklogDrops = 3, Refused = 2 }];
        DesignRow row = DesignRow.Of(DesignTarget.All[0], 8, 0, rounds);

        Assert.Equal(
            [
                "one-by-one, work 0, 8 threads: 100 of 2,000 were not handled: 100 datagrams dropped by the kernel, "
                + "receive buffer full, 3 before the socket (net.core.netdev_max_backlog, whole system)",
                "one-by-one, work 0, 8 threads: sent 2,000 of 4,000 in the time available",
                "one-by-one, work 0, 8 threads: refused by the system: 2 datagrams, not counted as sent",
            ],
            DesignNotes.Of(row, rounds, askedPerRound: 2000),
            StringComparer.Ordinal);
    }

    [Fact]
    public void Notes_SystemThatDoesNotCountDrops_SayNothingAboutThem()
    {
        DesignMeasurement[] rounds = [Round(1000, 900, 1), Round(1000, 1000, 1) with { KernelDrops = null }];
        DesignRow row = DesignRow.Of(DesignTarget.All[0], 8, 0, rounds);

        Assert.Equal(
            "one-by-one, work 0, 8 threads: 100 of 2,000 were not handled: the kernel does not report drops here",
            Assert.Single(DesignNotes.Of(row, rounds, askedPerRound: 1000)));
    }

    internal static DesignMeasurement Round(long sent, long handled, long cpuNanoseconds) => new()
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
        GsoFallbacks = 0,
        Threads =
        [
            new DesignThreadRow
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
                UserNanoseconds = null,
                SystemNanoseconds = null,
            },
        ],
    };
}
