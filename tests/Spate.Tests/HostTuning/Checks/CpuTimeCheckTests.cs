using Spate.HostTuning.Checks;
using Spate.HostTuning.Reading.Usage;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>The checks of time that somebody else took.</summary>
public sealed class CpuTimeCheckTests
{
    private const long Millisecond = 1_000_000;

    [Theory]
    [InlineData(0, "0 % of the CPUs' time", CheckStatus.Ok)]
    [InlineData(10, "0.2 % of the CPUs' time", CheckStatus.Ok)]
    [InlineData(1000, "20 % of the CPUs' time", CheckStatus.Problem)]
    internal void Steal_OfFourSeconds_IsAProblemFromOnePercent(long milliseconds, string found, CheckStatus expected)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();
        var use = new CpuUse(
            new CpuTimes(User: 0, System: 0, Softirq: 0, Irq: 0, milliseconds * Millisecond / 2, 2000 * Millisecond),
            ReceiveInterrupts: 0);
        HostReadings readings =
            RecordedReadings.Of(host) with { CpuUse = new Dictionary<int, CpuUse> { [0] = use, [1] = use } };

        CheckFinding finding = Assert.Single(readings.Examine("steal"));

        Assert.Equal((expected, found), (finding.Status, finding.Found));
        Assert.Equal(expected == CheckStatus.Problem ? milliseconds : 0, finding.Growth);
    }

    [Fact]
    public void Steal_NoCpuSeen_IsUnknown()
    {
        using var host = new FakeHost();

        Assert.Equal(
            CheckStatus.Unknown, Assert.Single(RecordedReadings.Of(host).Examine("steal")).Status);
    }

    [Theory]
    [InlineData("max 100000", 0, CheckStatus.Ok, 0)]
    [InlineData("200000 100000", 0, CheckStatus.Ok, 0)]
    [InlineData("150000 100000", 0, CheckStatus.Advice, 0)]
    [InlineData("150000 100000", 12.5, CheckStatus.Problem, 12)]
    [InlineData("max 100000", 0.2, CheckStatus.Problem, 1)]
    internal void Quota_OfTwoCpus_IsAdviceBelowThemAndAProblemWhenItStopped(
        string granted, double throttled, CheckStatus expected, long growth)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With("proc/self/cgroup", "0::/\n")
            .With("sys/fs/cgroup/cpu.max", granted + "\n");
        HostReadings readings =
            RecordedReadings.Of(host) with { Throttled = TimeSpan.FromMilliseconds(throttled) };

        CheckFinding finding = Assert.Single(readings.Examine("cpu-quota"));

        Assert.Equal((expected, growth), (finding.Status, finding.Growth));
    }
}
