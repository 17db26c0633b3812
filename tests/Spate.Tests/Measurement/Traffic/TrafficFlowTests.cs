using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

public sealed class TrafficFlowTests
{
    [Theory]
    [InlineData(1L, 2L, 3L)]
    [InlineData(null, 2L, 2L)]
    [InlineData(null, null, null)]
    [InlineData(long.MaxValue, 1L, long.MaxValue)]
    public void Counts_Added_LossesStayAtTheLargestNumber(long? left, long? right, long? sum) =>
        Assert.Equal(sum, (new FlowCounts(1, 2, left) + new FlowCounts(3, 4, right)).Lost);
}
