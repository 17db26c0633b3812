using Spate.Cli.Bench.PingPong;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.PingPong;

public sealed class PingPongRunTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(7, 1, 1)]
    [InlineData(64, 0, 1)]
    [InlineData(64, 1, 0)]
    public void Execute_ImpossibleOptions_Refuses(int sizeBytes, int pingCount, int roundCount) =>
        Assert.Throws<BenchException>(() => PingPongRun.Execute(
            new PingPongOptions { SizeBytes = sizeBytes, PingCount = pingCount, RoundCount = roundCount },
            cancellationToken: Cancellation));
}
