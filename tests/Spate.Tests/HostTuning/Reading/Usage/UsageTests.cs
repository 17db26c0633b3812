using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Usage;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Reading.Usage;

public sealed class UsageTests
{
    [Fact]
    public void ThreadMeter_ReadFromAnotherThread_ShowsItsOwnThread()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "thread figures come from Linux's /proc");
        using var ready = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        ThreadMeter? meter = null;
        var worker = new Thread(() =>
        {
            meter = new ThreadMeter();
            Burn(() => meter.Usage.CpuNanoseconds is 0);
            ready.Set();
            leave.Wait();
        });
        worker.Start();
        ready.Wait(TestContext.Current.CancellationToken);
        ThreadUsage first = meter!.Usage;

        Assert.SkipWhen(first.CpuNanoseconds is null, "this kernel has no /proc/thread-self/schedstat");
        Assert.True(first.CpuNanoseconds > 0);
        Assert.NotNull(first.RunQueueNanoseconds);
        Assert.NotNull(first.InvoluntarySwitches);

        // This thread's work is not the worker's; what the worker may add is its way into the wait.
        using var mine = new ThreadMeter();
        Burn(() => mine.Usage.CpuNanoseconds < first.CpuNanoseconds + 50_000_000);
        Assert.True((meter.Usage - first).CpuNanoseconds < 50_000_000);

        leave.Set();
        worker.Join();
        Burn(() => meter.Usage != default);
        Assert.Equal(default, meter.Usage);
        meter.Dispose();
        Assert.Equal(default, meter.Usage);
    }

    [Fact]
    public void ThreadMeter_Read_AllocatesNothing()
    {
        using var meter = new ThreadMeter();
        _ = (meter.Usage, meter.Times);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100; i++)
        {
            _ = (meter.Usage, meter.Times);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    [Fact]
    public void ThreadMeter_OfAnotherThread_ReadsItWhileItLives()
    {
        Assert.SkipUnless(Directory.Exists("/proc/self/task"), "/proc is needed");
        using var mayEnd = new ManualResetEventSlim();
        using var started = new ManualResetEventSlim();
        int id = 0;
        var thread = new Thread(() =>
        {
            id = int.Parse(Path.GetFileName(new FileInfo("/proc/thread-self").LinkTarget!));
            started.Set();
            mayEnd.Wait();
        });
        thread.Start();
        started.Wait(TestContext.Current.CancellationToken);
        using var meter = new ThreadMeter(id);

        Assert.NotNull(meter.Usage.CpuNanoseconds);
        Assert.NotNull(meter.Usage.VoluntarySwitches);
        mayEnd.Set();
        thread.Join();
        using var none = new ThreadMeter(0);
        Assert.Null(none.Usage.CpuNanoseconds);
    }

    [Fact]
    public void ThreadMeter_RecordedTree_GivesWhatItHolds()
    {
        using FakeHost host = new FakeHost()
            .With("proc/self/task/7/schedstat", "1234567 89 12\n")
            .With("proc/self/task/7/status", "Name:\tx\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n");
        using var meter = new ThreadMeter(7, host.RootPath);

        Assert.Equal(new ThreadUsage(1234567, 89, 5, 6), meter.Usage);
        Assert.Equal(1234567, ThreadMeter.ReadCpuNanoseconds(7, host.RootPath));
        Assert.Null(ThreadMeter.ReadCpuNanoseconds(8, host.RootPath));
    }

    [Theory]
    [InlineData("spate send 0")]
    [InlineData("a) R 1 2 (b")]
    [InlineData(") 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9")]
    [InlineData("")]
    public void Times_NameWithBracketsAndBlanks_GivesTheFieldsBehindIt(string name)
    {
        // Fields 14, 15 and 39 of proc_pid_stat(5).
        using FakeHost host = new FakeHost().With(
            "proc/self/task/7/stat",
            $"7 ({name}) R 1 7 7 0 -1 4194624 90 0 0 0 123 45 0 0 20 0 9 0 1000 2000 300 18446744073709551615 1 2 3 4 "
                + "5 6 7 8 9 0 0 0 17 63 0 0 0 0 0 10 11 12 13 14 15 16 0\n");
        using var meter = new ThreadMeter(7, host.RootPath);

        Assert.Equal(new ThreadTimes(1_230_000_000, 450_000_000, 63), meter.Times);
    }

    [Theory]
    [InlineData("")]
    [InlineData("7 (x")]
    [InlineData("7 (x) R 1 2 3")]
    public void Times_DamagedLine_IsNull(string stat)
    {
        using FakeHost host = new FakeHost().With("proc/self/task/7/stat", stat);
        using var meter = new ThreadMeter(7, host.RootPath);

        Assert.Equal(default, meter.Times);
    }

    [Theory]
    [InlineData("Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2,5\nMems_allowed:\t1\n", "0-2,5")]
    [InlineData("Cpus_allowed_list:\t0-2", null)]
    [InlineData("Name:\tx\n", null)]
    public void AllowedCpuList_Status_IsTheLineOfThatName(string status, string? expected)
    {
        using FakeHost host = new FakeHost().With("proc/self/task/7/status", status);
        using var meter = new ThreadMeter(7, host.RootPath);

        Assert.Equal(expected, meter.AllowedCpuList);
    }

    [Fact]
    public void ThreadUsage_SumAndDifference_HaveAllParts()
    {
        var one = new ThreadUsage(1, 2, 3, 4) { Cycles = 5 };

        Assert.Equal(new ThreadUsage(2, 4, 6, 8) { Cycles = 10 }, one + one);
        Assert.Equal(new ThreadUsage(0, 0, 0, 0) { Cycles = 0 }, one - one);
        Assert.Null((one + new ThreadUsage(1, 2, 3, 4)).Cycles);
    }

    [Theory]
    [InlineData("", 7L, 2L, 3L)]
    [InlineData("Udp6InDatagrams 10\nUdp6NoPorts 20\nUdp6InErrors 30\n", 17L, 32L, 23L)]
    public void SystemCounts_Snmp_AddsUpBothFamilies(string snmp6, long received, long errors, long noPorts)
    {
        using FakeHost host = new FakeHost()
            .With("proc/thread-self/net/snmp", "Udp: InDatagrams NoPorts InErrors\nUdp: 7 3 2\n")
            .With("proc/thread-self/net/snmp6", snmp6);

        var counts = SystemCounts.Read(host.RootPath);

        Assert.Equal((received, errors, noPorts), (counts.UdpReceived, counts.UdpErrors, counts.UdpNoPorts));
    }

    [Fact]
    public void SystemCounts_CounterOf32BitsThatWrapped_CountsOn()
    {
        var before = new SystemCounts(null, null) { UdpReceived = uint.MaxValue, UdpErrors = 5 };
        var after = new SystemCounts(null, null) { UdpReceived = 2, UdpErrors = 6 };

        Assert.Equal(new SystemCounts(null, null) { UdpReceived = 3, UdpErrors = 1 }, after - before);
    }

    [Fact]
    public void MemoryUsage_ThisProcess_IsPlausible()
    {
        var memory = MemoryUsage.Read();

        Assert.InRange(memory.ResidentBytes, 1_000_000, 1L << 40);
        Assert.InRange(memory.ResidentPeakBytes, 1_000_000, 1L << 40);
    }

    [Fact]
    public void MemoryUsage_RecordedTree_GivesWhatItHolds()
    {
        using FakeHost host = new FakeHost()
            .With("proc/self/status", "VmPin:\t 2 kB\nVmLck:\t 1 kB\nVmHWM:\t 40 kB\nVmRSS:\t 30 kB\n")
            .With("proc/self/limits", "Max locked memory         8388608              8388608              bytes\n");

        Assert.Equal(new MemoryUsage(30 * 1024, 40 * 1024, 3 * 1024), MemoryUsage.Read(host.RootPath));
        Assert.Equal(8388608, MemoryUsage.ReadLockedLimitBytes(host.RootPath));
    }

    [Fact]
    public void MemoryUsage_NoLimit_IsNull()
    {
        using FakeHost host = new FakeHost()
            .With("proc/self/limits", "Max locked memory         unlimited            unlimited            bytes\n");

        Assert.Null(MemoryUsage.ReadLockedLimitBytes(host.RootPath));
        Assert.Null(MemoryUsage.Read(host.RootPath).LockedBytes);
    }

    [Theory]
    [InlineData("cpu  1 2 3\ncpu0 1 2 3\nintr 26719159 0 0 1\nctxt 5\n", 26719159L)]
    [InlineData("intr 7\n", 7L)]
    [InlineData("intr x\n", null)]
    [InlineData("intr 99999999999999999999 1\n", null)]
    [InlineData("", null)]
    public void SystemCounts_ProcStat_GivesTheTotal(string content, long? expected)
    {
        using FakeHost host = new FakeHost().With("proc/stat", content);

        Assert.Equal(new SystemCounts(expected, null), SystemCounts.Read(host.RootPath));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(1000)]
    public void SystemCounts_SoftnetOfManyCpus_AddsUpTheDrops(int cpuCount)
    {
        string line = "0000a1b2 0000000a 00000003 00000000 00000000 00000000 00000000 00000000 00000000\n";
        using FakeHost host = new FakeHost()
            .With("proc/net/softnet_stat", string.Concat(Enumerable.Repeat(line, cpuCount)))
            .With(
                "proc/stat", string.Concat(Enumerable.Repeat("cpu0 1 2 3 4 5 6 7 8 9 10\n", cpuCount)) + "intr 5 1\n");

        Assert.Equal(new SystemCounts(5, 10 * cpuCount), SystemCounts.Read(host.RootPath));
    }

    [Fact]
    public void SystemCounts_ThisMachine_OnlyGrow()
    {
        var first = SystemCounts.Read();
        Assert.SkipWhen(first.Interrupts is null, "this system does not tell its interrupts");
        SystemCounts between = SystemCounts.Read() - first;

        Assert.True(between.Interrupts >= 0);
        Assert.True(between.BacklogDrops >= 0);
    }

    /// <summary>Works until a counter has moved; bounded, so that a counter that stands still fails the test.</summary>
    private static void Burn(Func<bool> more)
    {
        for (int i = 0; i < 1_000_000 && more(); i++)
        {
            Thread.SpinWait(100);
        }
    }
}
