using System.Diagnostics;
using Spate.Cli.Bench.PingPong;

namespace Spate.Tests.Cli.Bench.PingPong;

public sealed class PingLogTests
{
    [Fact]
    public void Percentile_WarmUpAndHundredTimes_IsNearestRankOfThoseCounted()
    {
        var log = new PingLog(warmUpCount: 2, count: 100);
        long microsecond = Stopwatch.Frequency / 1_000_000;
        foreach (int time in (int[])[5000, 5000, .. Enumerable.Range(1, 100).Reverse()])
        {
            Assert.True(log.TryNext(out _));
            log.Add(time * microsecond);
        }

        log.Sort();

        Assert.False(log.TryNext(out _));
        Assert.Equal(100, log.Count);
        Assert.Equal(50, log.PercentileMicroseconds(50), tolerance: 1e-9);
        Assert.Equal(99, log.PercentileMicroseconds(99), tolerance: 1e-9);
        Assert.Equal(100, log.PercentileMicroseconds(99.9), tolerance: 1e-9);
    }

    [Fact]
    public void LostInARow_AfterAnAnswer_BeginsAnew()
    {
        var log = new PingLog(warmUpCount: 0, count: 10);
        log.AddLost();
        log.AddLost();
        Assert.Equal(2, log.LostInARow);

        log.Add(1);

        Assert.Equal((0, 2, 1), (log.LostInARow, log.Lost, log.Count));
    }
}
