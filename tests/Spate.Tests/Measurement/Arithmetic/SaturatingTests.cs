using Spate.Measurement.Arithmetic;

namespace Spate.Tests.Measurement.Arithmetic;

public sealed class SaturatingTests
{
    [Theory]
    [InlineData(0, long.MaxValue, 0)]
    [InlineData(3, 5, 15)]
    [InlineData(1L << 31, 1L << 31, 1L << 62)]
    [InlineData(1L << 32, 1L << 31, long.MaxValue)]
    [InlineData(1L << 32, 1L << 32, long.MaxValue)]
    [InlineData(long.MaxValue, 1, long.MaxValue)]
    [InlineData(long.MaxValue, 2, long.MaxValue)]
    [InlineData(long.MaxValue, long.MaxValue, long.MaxValue)]
    public void Multiply_TwoCounts_StopsAtTheLargest(long left, long right, long product)
    {
        Assert.Equal(product, Saturating.Multiply(left, right));
        Assert.Equal(product, Saturating.Multiply(right, left));
    }
}
