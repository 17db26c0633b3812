using Spate.Measurement.HostUse;

namespace Spate.Tests.Measurement.HostUse;

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
    public void AllocationMeter_BytesAllocatedAndCollected_AreCounted()
    {
        var meter = new AllocationMeter();
        var kept = new byte[1_000_000];
        GC.Collect(0);

        Assert.True(meter.AllocatedBytes >= kept.Length / 2, $"{meter.AllocatedBytes} bytes");
        Assert.True(meter.Gen0Collections >= 1);
        GC.KeepAlive(kept);
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
