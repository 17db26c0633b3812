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
        // Two datagrams arrive in the first reads, and 10 ms pass at each. After 20 ms of quiet the wait is over.
        Assert.Equal(4, CountReads(static read => Math.Min(read, 2), maxQuiet: 20, maxWait: 10_000));
    }

    [Fact]
    public void Run_ArrivalsTakeTooLong_GivesUp() =>
        Assert.Equal(4, CountReads(static read => read, maxQuiet: 20, maxWait: 40));

    private static int CountReads(Func<int, long> arrived, int maxQuiet, int maxWait)
    {
        var time = new FakeTime();
        int reads = 0;
        DrainWait.Run(Read, expected: 1000, Milliseconds(maxQuiet), Milliseconds(maxWait), time);
        return reads;

        long Read()
        {
            time.Advance(Milliseconds(10));
            return arrived(++reads);
        }
    }

    private static TimeSpan Milliseconds(int milliseconds) => TimeSpan.FromMilliseconds(milliseconds);
}
