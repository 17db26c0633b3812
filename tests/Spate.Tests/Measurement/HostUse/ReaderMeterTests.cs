using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.HostUse;

namespace Spate.Tests.Measurement.HostUse;

public sealed class ReaderMeterTests
{
    private const long BurntNanoseconds = 20_000_000;

    [Fact]
    public void Schedule_NoDatagramYet_IsUnknown()
    {
        using var meter = new ReaderMeter();
        meter.Pause(0);

        Assert.Equal(new ReaderSchedule(), meter.Schedule);
    }

    [Fact]
    public void Schedule_WorkAfterTheLastDatagram_IsNotInIt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "schedstat is Linux's");
        using var meter = new ReaderMeter();
        Burn();
        meter.Pause(10);
        ReaderSchedule first = meter.Schedule;
        Burn();

        meter.Pause(10);

        Assert.Equal(first, meter.Schedule);
        Assert.InRange(first.CpuNanoseconds ?? 0, BurntNanoseconds, long.MaxValue);
        meter.Pause(11);
        Assert.InRange(meter.Schedule.CpuNanoseconds ?? 0, 2 * BurntNanoseconds, long.MaxValue);
    }

    // The scheduler adds up at its ticks, which come every 1 to 10 ms.
    private static void Burn()
    {
        using var meter = new ThreadMeter();
        long end = (meter.Usage.CpuNanoseconds ?? 0) + BurntNanoseconds;
        while (meter.Usage.CpuNanoseconds < end)
        {
        }
    }
}
