using Spate.Measurement.Bench.Drain;

namespace Spate.Tests.Measurement.Bench.Drain;

[QuietHost("it loads the CPUs, and others would be measured")]
public sealed class DrainRunTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Execute_EveryRow_TimesBothWays()
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
}
