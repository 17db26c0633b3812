using System.Text;
using Spate.Measurement;

namespace Spate.Tests.Measurement;

public sealed class MeterTests
{
    [Fact]
    public void CpuMeter_WorkDone_Grows()
    {
        var meter = new CpuMeter();
        Burn(() => meter.Elapsed.Total == 0);
        CpuSeconds elapsed = meter.Elapsed;

        Assert.True(elapsed.Total > 0);
        Assert.True(elapsed.User >= 0 && elapsed.System >= 0);
        Assert.Equal(elapsed.User + elapsed.System, elapsed.Total);
    }

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
        _ = meter.Usage;
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100; i++)
        {
            _ = meter.Usage;
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    [Fact]
    public void AllocationMeter_BytesAllocatedAndCollected_AreCounted()
    {
        var meter = new AllocationMeter();
        var kept = new byte[1_000_000];
        GC.Collect(0);

        Assert.True(meter.AllocatedBytes >= kept.Length / 2, $"{meter.AllocatedBytes} bytes");
        Assert.True(meter.Gen0Collections >= 1);
        GC.KeepAlive(kept);
    }

    [Fact]
    public void MemoryUsage_ThisProcess_IsPlausible()
    {
        MemoryUsage memory = MemoryUsage.Read();

        Assert.InRange(memory.ResidentBytes, 1_000_000, 1L << 40);
        Assert.InRange(memory.ResidentPeakBytes, 1_000_000, 1L << 40);
    }

    [Theory]
    [InlineData("Name:\tx\nVmHWM:\t   12345 kB\nVmRSS:\t  99 kB\n", 12345L)]
    [InlineData("VmHWM:\t7", 7L)]
    [InlineData("XVmHWM:\t7\n", null)]
    [InlineData("VmHWM:\tmany\n", null)]
    [InlineData("", null)]
    public void NumberAfter_LinesOfStatus_FindsTheKey(string text, long? expected) =>
        Assert.Equal(expected, ProcFile.NumberAfter(Encoding.ASCII.GetBytes(text), "VmHWM:"u8));

    [Theory]
    [InlineData("123 45 6\n", 1, 45L)]
    [InlineData("123 45 6\n", 2, 6L)]
    [InlineData("123\n", 1, null)]
    [InlineData("", 0, null)]
    public void NumberAt_LineOfNumbers_FindsTheField(string text, int index, long? expected) =>
        Assert.Equal(expected, ProcFile.NumberAt(Encoding.ASCII.GetBytes(text), index));

    [Fact]
    public void TryOpen_NoSuchFile_IsNullAndReadsEmpty()
    {
        using var file = ProcFile.TryOpen("/proc/no-such-file");

        Assert.Null(file);
        Assert.True(ProcFile.Read(file, new byte[8]).IsEmpty);
    }

    [Fact]
    public void HostFacts_ThisHost_AreStated()
    {
        if (OperatingSystem.IsLinux())
        {
            Assert.Matches(@"^Linux \d+\.\d+", HostFacts.Kernel);
        }

        Assert.StartsWith(".NET ", HostFacts.Runtime, StringComparison.Ordinal);
        Assert.True(HostFacts.CpuCount >= 1);
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
