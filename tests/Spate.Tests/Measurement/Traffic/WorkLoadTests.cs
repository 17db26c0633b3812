using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Tests.Measurement.Traffic;

public sealed class WorkLoadTests
{
    [Fact]
    public void Do_RoundsAndSeed_DecideTheResult()
    {
        Assert.Equal(WorkLoad.Do(100, 7), WorkLoad.Do(100, 7));
        Assert.Distinct(Enumerable.Range(1, 1000).Select(static rounds => WorkLoad.Do(rounds, 7)));
        Assert.Distinct(Enumerable.Range(0, 256).Select(static seed => WorkLoad.Do(3, (uint)seed)));
    }

    [Fact]
    public void MeasureNanosecondsPerRound_Here_IsSomething() =>
        Assert.True(WorkLoad.MeasureNanosecondsPerRound() > 0);

    [Theory]
    [InlineData(UdpSteering.FlowHash, "flow-hash")]
    [InlineData(UdpSteering.Kernel, "kernel")]
    public void NameText_Values_ReadBack(UdpSteering value, string name)
    {
        Assert.Equal(name, NameText.Of(value));
        Assert.True(NameText.TryParse(name, out UdpSteering parsed));
        Assert.Equal(value, parsed);
        Assert.False(NameText.TryParse(name.ToUpperInvariant(), out UdpSteering _));
        Assert.False(NameText.TryParse("0", out UdpSteering _));
    }
}
