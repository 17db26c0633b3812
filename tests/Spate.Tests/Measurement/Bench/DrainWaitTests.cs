using Spate.Measurement.Bench;

namespace Spate.Tests.Measurement.Bench;

public sealed class DrainWaitTests
{
    [Fact]
    public void Run_DatagramsStillArrive_ReturnsWithTheLast()
    {
        int reads = 0;

        DrainWait.Run(() => ++reads, expected: 5, TimeSpan.MaxValue, TimeSpan.MaxValue);

        Assert.Equal(5, reads);
    }

    [Fact]
    public void Run_NoneArrivesForAWhile_GivesUp()
    {
        long reads = 0;

        DrainWait.Run(() => Math.Min(++reads, 3), expected: 5, TimeSpan.FromMilliseconds(20), TimeSpan.MaxValue);

        Assert.InRange(reads, 4, long.MaxValue);
    }

    [Fact]
    public void Run_ArrivalsTakeTooLong_GivesUp()
    {
        long reads = 0;

        DrainWait.Run(() => ++reads, expected: long.MaxValue, TimeSpan.MaxValue, TimeSpan.FromMilliseconds(20));

        Assert.InRange(reads, 2, long.MaxValue);
    }
}
