using Spate.Serving.Threading;

namespace Spate.Tests.Serving.Threading;

/// <summary>When a thread spins, and how many threads may.</summary>
public sealed class SpinRuleTests
{
    private static readonly TimeSpan Budget = TimeSpan.FromMicroseconds(50);

    private readonly FakeTime _time = new();

    [Fact]
    public void SpinRule_NothingKnown_TriesOnceIn256()
    {
        SpinRule rule = new(_time, Budget);
        for (int i = 1; i < 256; i++) Assert.False(rule.ShouldLookAgain());
        Assert.True(rule.ShouldLookAgain());
    }

    [Fact]
    public void SpinRule_ShortGaps_SpinsForItsBudget()
    {
        SpinRule rule = NewQuickRule();
        int looks = 0;
        while (rule.ShouldLookAgain())
        {
            looks++;
            _time.Advance(TimeSpan.FromMicroseconds(10));
        }

        Assert.Equal(5, looks);
    }

    [Fact]
    public void SpinRule_LongGaps_Sleeps()
    {
        SpinRule rule = NewQuickRule();
        for (int i = 0; i < 50; i++)
        {
            _time.Advance(TimeSpan.FromMilliseconds(1));
            rule.OnArrival();
        }

        Assert.False(rule.ShouldLookAgain());
    }

    [Fact]
    public void SpinRule_LostItsCpuWhileSpinning_PausesFor1024Waits()
    {
        SpinRule rule = NewQuickRule();
        Assert.True(rule.ShouldLookAgain());
        _time.Advance(TimeSpan.FromMicroseconds(200));
        for (int i = 0; i < 1 + 1024; i++) Assert.False(rule.ShouldLookAgain());
        Assert.True(rule.ShouldLookAgain());
    }

    [Fact]
    public void SpinRule_SpinGivenUp_IsNotTakenForALostCpu()
    {
        SpinRule rule = NewQuickRule();
        Assert.True(rule.ShouldLookAgain());
        rule.OnGivenUp();
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(rule.ShouldLookAgain());
    }

    [Theory]
    [InlineData(1, 0)]
    [InlineData(2, 1)]
    [InlineData(8, 7)]
    public void SpinLimit_AllWantTo_OneCpuIsLeft(int cpuCount, int expected)
    {
        SpinLimit limit = new(cpuCount);
        for (int round = 0; round < 3; round++)
        {
            int entered = Enumerable.Range(0, 20).Count(_ => limit.TryEnter());
            Assert.Equal(expected, entered);
            for (int i = 0; i < entered; i++) limit.Leave();
        }

        Assert.Equal(cpuCount <= 2 ? 10 : 50, limit.MaxSpinTime.TotalMicroseconds);
    }

    private SpinRule NewQuickRule()
    {
        SpinRule rule = new(_time, Budget);
        for (int i = 0; i < 3; i++)
        {
            _time.Advance(TimeSpan.FromMicroseconds(5));
            rule.OnArrival();
        }

        return rule;
    }
}
