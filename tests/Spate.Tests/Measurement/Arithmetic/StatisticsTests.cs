using Spate.Measurement.Arithmetic;

namespace Spate.Tests.Measurement.Arithmetic;

public sealed class StatisticsTests
{
    [Theory]
    [InlineData(new[] { 7.0 }, 7)]
    [InlineData(new[] { 9.0, 1, 5 }, 5)]
    [InlineData(new[] { 4.0, 1, 3, 2 }, 2.5)]
    public void Median_Values_IsTheMiddle(double[] values, double expected) =>
        Assert.Equal(expected, Statistics.Median(values));

    [Fact]
    public void Median_Unsorted_LeavesTheValuesAlone()
    {
        double[] values = [3, 1, 2];
        _ = Statistics.Median(values);
        Assert.Equal([3, 1, 2], values);
    }

    [Theory]
    [InlineData(new[] { 7.0 }, 0)]
    [InlineData(new[] { 90.0, 110, 100 }, 20)]
    [InlineData(new[] { -90.0, -110, -100 }, 20)]
    [InlineData(new[] { -1.0, 0, 1 }, 0)]
    [InlineData(new[] { 100.0, 100, 100, 100, 100, 100, 100, 1000 }, 900)]
    public void SpreadPercent_Values_IsTheRangeOverTheMedian(double[] values, double expected) =>
        Assert.Equal(expected, Statistics.SpreadPercent(values), tolerance: 1e-9);

    [Fact]
    public void MedianRatio_Pairs_IsTheMedianOfTheRatios() =>
        Assert.Equal(2, Statistics.MedianRatio([2, 30, 8], [1, 10, 4]));

    [Fact]
    public void Statistics_UnusableValues_Throw()
    {
        Assert.Throws<ArgumentException>(() => Statistics.Median([]));
        Assert.Throws<ArgumentException>(() => Statistics.SpreadPercent([]));
        Assert.Throws<ArgumentException>(() => Statistics.Median([1, double.NaN]));
        Assert.Throws<ArgumentException>(() => Statistics.MedianRatio([1], [1, 2]));
        Assert.Throws<ArgumentException>(() => Statistics.MedianRatio([1], [0]));
    }

    [Fact]
    public void Ratio_NothingToDivideBy_IsZero()
    {
        Assert.Equal(0, Statistics.Ratio(5, 0));
        Assert.Equal(0, Statistics.Ratio(0, 0));
        Assert.Equal(0, Statistics.Ratio(5, double.Epsilon));
        Assert.Equal(2.5, Statistics.Ratio(5, 2));
    }
}
