using Spate.Cli.Bench.Sessions;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Sessions;

public sealed class SessionsRunTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(0)]
    [InlineData(SessionsOptions.MaxPeerCount + 1)]
    public void Execute_PeersOutOfRange_AreRefused(int peerCount) =>
        Assert.Throws<BenchException>(() => SessionsRun.Execute(
            new SessionsOptions { PeerCounts = [peerCount] }, cancellationToken: Cancellation));
}
