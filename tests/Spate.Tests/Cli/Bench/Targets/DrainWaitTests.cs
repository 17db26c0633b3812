using System.Diagnostics;
using Spate.Cli.Bench.Targets;

namespace Spate.Tests.Cli.Bench.Targets;

public sealed class DrainWaitTests
{
    // Longer than a busy machine keeps a thread from running between two lines.
    private static readonly TimeSpan Quiet = TimeSpan.FromMilliseconds(300);

    [Fact]
    public void Run_DatagramsStillArrive_ReturnsWithTheLast()
    {
        int reads = 0;

        DrainWait.Run(() => ++reads, expected: 5, TimeSpan.MaxValue, TimeSpan.MaxValue);

        Assert.Equal(5, reads);
    }

    [Fact]
    public void Run_AllHaveArrived_ReadsOnce()
    {
        int reads = 0;

        DrainWait.Run(() => 5 + reads++, expected: 5, TimeSpan.MaxValue, TimeSpan.MaxValue);

        Assert.Equal(1, reads);
    }

    [Fact]
    public void Run_NoneArrivesForAWhile_GivesUp()
    {
        int reads = 0;

        DrainWait.Run(() => Math.Min(++reads, 2), expected: 1000, TimeSpan.FromMilliseconds(1), TimeSpan.MaxValue);

        Assert.InRange(reads, 1, int.MaxValue);
    }

    [Fact]
    public void Run_DatagramsArriveForLongerThanTheQuiet_WaitsForTheLast()
    {
        long start = Stopwatch.GetTimestamp();
        long arrived = 0;

        DrainWait.Run(Read, expected: 1_000_000, Quiet, TimeSpan.MaxValue);

        Assert.Equal(1_000_000, arrived);

        long Read() => arrived = Stopwatch.GetElapsedTime(start) < Quiet * 1.2 ? arrived + 1 : 1_000_000;
    }

    [Fact]
    public void Run_ArrivalsTakeTooLong_GivesUp()
    {
        long arrived = 0;

        DrainWait.Run(() => ++arrived, expected: long.MaxValue, TimeSpan.MaxValue, TimeSpan.FromMilliseconds(1));

        Assert.InRange(arrived, 1, long.MaxValue - 1);
    }
}
