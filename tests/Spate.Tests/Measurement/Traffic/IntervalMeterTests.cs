using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

public sealed class IntervalMeterTests
{
    private const int BytesPerInterval = 16 * 1024 * 1024;

    [Fact]
    public void Fill_SeveralIntervals_EachHasWhatWasAddedInIt()
    {
        using var meter = new IntervalMeter(showsAllCores: false);
        var total = new TrafficReport { Kind = "send" };
        var intervals = new IntervalReport[4];
        for (int i = 0; i < intervals.Length; i++)
        {
            byte[] kept = new byte[BytesPerInterval];
            GC.Collect();
            GC.KeepAlive(kept);
            intervals[i] = new IntervalReport { Seconds = 1 };
            meter.Fill(intervals[i], new CpuAttribution());
        }

        meter.FillProcess(total);

        Assert.All(intervals, static one =>
        {
            Assert.InRange(one.AllocatedBytes!.Value, BytesPerInterval / 2, long.MaxValue);
            Assert.InRange(one.Gen0Collections!.Value, 1, int.MaxValue);
            Assert.InRange(one.ResidentBytes!.Value, 1_000_000, 1L << 40);
        });

        // Other tests allocate beside this one. What they do after the last interval is in the total only.
        Assert.InRange(intervals.Sum(static one => one.AllocatedBytes!.Value), 0, total.AllocatedBytes);
        Assert.InRange(intervals.Sum(static one => one.Gen0Collections!.Value), 0, total.Gen0Collections);
        Assert.InRange(
            intervals.Sum(static one => one.CpuPercent / 100), 0, total.CpuUserSeconds + total.CpuSystemSeconds + 1e-6);
    }
}
