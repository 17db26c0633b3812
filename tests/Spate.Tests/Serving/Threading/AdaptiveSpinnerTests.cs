using Spate.Serving.Threading;

namespace Spate.Tests.Serving.Threading;

/// <summary>When a thread spins, and how many threads may.</summary>
public sealed class AdaptiveSpinnerTests
{
    private readonly FakeTime _time = new();

    [Fact]
    public void OnEmpty_NothingKnown_TriesOnceIn256()
    {
        AdaptiveSpinner spinner = NewSpinner();
        for (int i = 1; i < 256; i++) Assert.False(Spins(spinner));
        Assert.True(Spins(spinner));
    }

    [Fact]
    public void OnEmpty_ShortGaps_SpinsForItsBudget()
    {
        AdaptiveSpinner spinner = NewQuickSpinner();
        int looks = 0;
        while (Spins(spinner))
        {
            looks++;
            _time.Advance(TimeSpan.FromMicroseconds(10));
        }

        Assert.Equal(5, looks);
    }

    [Fact]
    public void OnEmpty_LongGaps_Sleeps()
    {
        AdaptiveSpinner spinner = NewQuickSpinner();
        for (int i = 0; i < 50; i++)
        {
            _time.Advance(TimeSpan.FromMilliseconds(1));
            spinner.OnArrival();
        }

        Assert.False(Spins(spinner));
    }

    [Fact]
    public void OnEmpty_LostItsCpuWhileSpinning_PausesFor1024Waits()
    {
        AdaptiveSpinner spinner = NewQuickSpinner();
        Assert.True(Spins(spinner));
        _time.Advance(TimeSpan.FromMicroseconds(200));
        for (int i = 0; i < 1 + 1024; i++) Assert.False(Spins(spinner));
        Assert.True(Spins(spinner));
    }

    [Fact]
    public void OnEmpty_SpinGivenUp_IsNotTakenForALostCpu()
    {
        AdaptiveSpinner spinner = NewQuickSpinner();
        Assert.True(Spins(spinner));
        spinner.OnGivenUp();
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(Spins(spinner));
    }

    [Theory]
    [InlineData(1, 0)]
    [InlineData(2, 1)]
    [InlineData(8, 7)]
    public void SpinLimit_AllWantTo_OneCpuIsLeft(int cpuCount, int expected)
    {
        SpinLimit limit = new(cpuCount, cpuCount - 1);
        for (int round = 0; round < 3; round++)
        {
            int entered = Enumerable.Range(0, 20).Count(_ => limit.TryEnter());
            Assert.Equal(expected, entered);
            for (int i = 0; i < entered; i++) limit.Leave();
        }

        Assert.Equal(cpuCount <= 2 ? 10 : 50, limit.MaxSpinTime.TotalMicroseconds);
    }

    private static bool Spins(AdaptiveSpinner spinner) => spinner.OnEmpty() == SpinStep.LookAgain;

    // Four CPUs: the budget of a spin is 50 µs.
    private AdaptiveSpinner NewSpinner() => new(_time, new SpinLimit(cpuCount: 4, maxCount: 3));

    private AdaptiveSpinner NewQuickSpinner()
    {
        AdaptiveSpinner spinner = NewSpinner();
        for (int i = 0; i < 3; i++)
        {
            _time.Advance(TimeSpan.FromMicroseconds(5));
            spinner.OnArrival();
        }

        return spinner;
    }
}
