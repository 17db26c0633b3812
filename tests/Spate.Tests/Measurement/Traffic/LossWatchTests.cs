using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

public sealed class LossWatchTests
{
    [Fact]
    public void Judge_LossThatTheSocketDidNotSee_AdvisesATestOfBothEnds()
    {
        using var watch = new LossWatch();
        var report = new TrafficReport { Unique = 80, Lost = 20, KernelDrops = 0, Seconds = 1 };

        watch.Judge(report);

        Assert.Equal(20, report.Unexplained);
        Assert.Equal("spate test", report.Remedy);
        Assert.Equal(
            "100 % of the loss is unexplained, because only the receiving end was measured: spate test",
            report.Verdict);
    }
}
