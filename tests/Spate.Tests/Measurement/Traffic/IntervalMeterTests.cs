using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.Time;

namespace Spate.Tests.Measurement.Traffic;

public sealed class IntervalMeterTests
{
    private const int BytesPerInterval = 16 * 1024 * 1024;

    private readonly FakeTime _time = new();
    private readonly List<double> _told = [];
    private int _looks;

    [Fact]
    public void Fill_SeveralIntervals_EachHasWhatWasAddedInIt()
    {
        using var meter = new IntervalMeter(showsAllCores: false, TimeSpan.Zero, TimeProvider.System, ends: []);
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

    [Fact]
    public void Run_WithADuration_TakesEveryIntervalThatEndsBefore()
    {
        using IntervalMeter meter = Run(intervalMilliseconds: 120, durationMilliseconds: 300);

        // 50, 50 and 20 ms to each interval, then 50 and 10 to the end.
        Assert.Equal([0.12, 0.24], _told);
        Assert.Equal(8, _looks);
        Assert.Equal([0.12, 0.24], IntervalsOf(meter).Select(static one => one.StartSeconds));
    }

    [Fact]
    public void Run_ProcessWasStopped_MissedIntervalsAreNotMadeUpFor()
    {
        using IntervalMeter meter = Meter(intervalMilliseconds: 120);

        meter.Run(
            _time.GetTimestamp(),
            wait => _time.Advance(wait) > 0,
            () => _time.Advance(TimeSpan.FromMilliseconds(_looks++ == 0 ? 500 : 0)),
            () => Interval(seconds: 0.12),
            Tell,
            TimeSpan.FromMilliseconds(700));

        Assert.Equal([0.55, 0.6], _told);
    }

    [Fact]
    public void Run_NoIntervals_OnlyLooks()
    {
        using IntervalMeter meter = Run(intervalMilliseconds: 0, durationMilliseconds: 300);
        meter.TakeRest<TrafficInterval>(static () => throw new InvalidOperationException(), Tell);

        Assert.Empty(_told);
        Assert.Equal(6, _looks);
        Assert.Empty(IntervalsOf(meter));
    }

    [Fact]
    public void Run_OverWhenAnIntervalIsDue_EndsWithoutIt()
    {
        using IntervalMeter meter = Meter(intervalMilliseconds: 50);
        long startTicks = _time.GetTimestamp();

        meter.Run(
            startTicks,
            wait => _time.Advance(wait) == 0 && wait == TimeSpan.Zero && _time.GetTimestamp() > startTicks,
            () => _looks++,
            () => Interval(seconds: 0.05),
            Tell);

        Assert.Empty(_told);
        Assert.Equal(1, _looks);
    }

    [Theory]
    [InlineData(0.049, 1, 0.169)]
    [InlineData(0.05, 2, 0.12)]
    public void TakeRest_TooShortForARate_JoinsTheLastInterval(double seconds, int count, double firstSeconds)
    {
        using IntervalMeter meter = Run(intervalMilliseconds: 120, durationMilliseconds: 130);

        meter.TakeRest(() => Interval(seconds), Tell);

        Assert.Equal(count, _told.Count);
        Assert.Equal(count, IntervalsOf(meter).Length);
        Assert.Equal(firstSeconds, IntervalsOf(meter)[0].Seconds, 1e-9);
    }

    private IntervalMeter Run(int intervalMilliseconds, int durationMilliseconds)
    {
        IntervalMeter meter = Meter(intervalMilliseconds);
        meter.Run(
            _time.GetTimestamp(),
            wait => _time.Advance(wait) > 0,
            () => _looks++,
            () => Interval(seconds: 0.12),
            Tell,
            TimeSpan.FromMilliseconds(durationMilliseconds));
        return meter;
    }

    private IntervalMeter Meter(int intervalMilliseconds) =>
        new(showsAllCores: false, TimeSpan.FromMilliseconds(intervalMilliseconds), _time, ends: []);

    private static IntervalReport[] IntervalsOf(IntervalMeter meter)
    {
        var report = new TrafficReport();
        meter.FillEnd(report, new CpuAttribution());
        return report.Intervals;
    }

    private TrafficInterval Interval(double seconds) => new(
        new IntervalReport { StartSeconds = (_time.GetTimestamp() - TimeSpan.TicksPerDay) / 1e7, Seconds = seconds },
        [],
        FlowCount: 0);

    private void Tell(TrafficInterval interval) => _told.Add(interval.Total.StartSeconds);
}
