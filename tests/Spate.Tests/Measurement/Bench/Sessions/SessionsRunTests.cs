using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Sessions;

namespace Spate.Tests.Measurement.Bench.Sessions;

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
