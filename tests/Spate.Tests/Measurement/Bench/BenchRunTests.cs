using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Drain;

namespace Spate.Tests.Measurement.Bench;

[Collection(LoopbackLoad.Name)]
public sealed class BenchRunTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Execute_TwoBaselineRowsOverLoopback_GivesSaneFigures()
    {
        BenchReport result = BenchRun.Execute(new BenchOptions
        {
            SizesBytes = [64],
            Budget = TimeSpan.FromSeconds(1),
            RowNames = ["socket-async", "socket-blocking"],
        }, cancellationToken: Cancellation);

        Assert.Empty(result.Skipped);
        Assert.Equal("socket-async socket-blocking", string.Join(' ', result.Rows.Select(row => row.Name)));
        Assert.All(result.Rows, AssertSane);
        Assert.Equal(1, result.TimesBaseline(result.Rows[0]));
        Assert.True(result.BufferGrantedBytes > 0);
    }

    [Fact]
    public void Execute_EveryRow_RunsOrSaysWhyNot()
    {
        BenchReport result = BenchRun.Execute(new BenchOptions
        {
            SizesBytes = [1380],
            Budget = TimeSpan.FromSeconds(4),
        }, cancellationToken: Cancellation);

        Assert.Equal(
            BenchRun.RowNames.Order(StringComparer.Ordinal),
            result.Rows.Select(row => row.Name).Concat(result.Skipped.Select(row => row.Name))
                .Order(StringComparer.Ordinal));
        Assert.All(result.Rows, AssertSane);
        Assert.All(result.Skipped, row => Assert.Contains("not available", row.Reason, StringComparison.Ordinal));
    }

    [Fact]
    public void Execute_Drain_TimesBothWays()
    {
        DrainReport result = DrainRun.Execute(
            new DrainOptions { RoundCount = 1, DatagramCount = 640 }, cancellationToken: Cancellation);

        Assert.Equal(
            DrainRun.RowNames.Count * 2, result.Rows.Length + (result.Skipped.Count * 2));
        Assert.All(result.Rows, row =>
        {
            Assert.True(row.ReceiveNanosecondsPerDatagram > 0);
            Assert.True(row.SendNanosecondsPerDatagram > 0);
            Assert.Equal([row.ReceiveNanosecondsPerDatagram], row.Samples);
        });
    }

    [Theory]
    [InlineData(20_000, 64, 256 << 20, 19_968)]
    [InlineData(20_000, 1380, 256 << 20, 19_975)]
    [InlineData(20_000, 64, 208 << 10, 320)]
    [InlineData(20_000, 65_507, 256 << 20, 4_066)]
    [InlineData(20_000, 64, 0, 64)]
    public void CountThatFits_AnyBuffer_IsWholeTrains(int wanted, int sizeBytes, int grantedBytes, int expected) =>
        Assert.Equal(expected, DrainEngine.CountThatFits(wanted, sizeBytes, grantedBytes));

    [Theory]
    [InlineData(64, 64)]
    [InlineData(1380, 47)]
    [InlineData(8972, 7)]
    [InlineData(65_507, 1)]
    public void TrainLength_AnySize_IsTheFloorProgramsOwn(int sizeBytes, int expected) =>
        Assert.Equal(expected, DrainEngine.TrainLength(sizeBytes));

    private static void AssertSane(BenchRow row)
    {
        Assert.True(row.DatagramsPerSecond > 0, row.Name);
        Assert.True(row.BitsPerSecond > 0, row.Name);
        Assert.InRange(row.LostPercent, 0, 100);
        Assert.True(row.DatagramsPerCall >= 1, row.Name);
        Assert.True(row.AllocatedBytesPerDatagram >= 0, row.Name);
        if (OperatingSystem.IsLinux())
        {
            Assert.True(row.SendNanosecondsPerDatagram > 0, row.Name);
            Assert.True(row.ReceiveNanosecondsPerDatagram > 0, row.Name);
        }
    }
}
