using Spate.Cli.Bench.Drain;

namespace Spate.Tests.Cli.Bench.Drain;

[QuietHost("traffic of others takes the places of its datagrams")]
public sealed class DrainRowTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Execute_EveryRow_TimesBothWays()
    {
        DrainReport result = DrainBench.Define().Run(
            new DrainOptions { RoundCount = 1, DatagramCount = 640 }, cancellationToken: Cancellation);

        Assert.Equal(
            DrainBench.Targets.Count * 2, result.Rows.Length + (result.Skipped.Count * 2));
        Assert.All(result.Rows, row =>
        {
            Assert.True(row.ReceiveNanosecondsPerDatagram > 0);
            Assert.True(row.SendNanosecondsPerDatagram > 0);
            Assert.Equal([row.ReceiveNanosecondsPerDatagram], row.Samples);
        });
    }
}
