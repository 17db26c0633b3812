using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Sessions;

namespace Spate.Tests.Measurement.Bench.Sessions;

[QuietHost("it loads the CPUs, and others would be measured")]
public sealed class SessionsRunTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Execute_FewPeers_FindsEverySessionAndAgesThemAll()
    {
        SessionsReport result = SessionsRun.Execute(
            new SessionsOptions { PeerCounts = [1, 3000], RoundCount = 1, DatagramCount = 640 },
            cancellationToken: Cancellation);

        Assert.Equal(
            "64 1 runs, 64 3000 runs, 64 3000 scattered, 1380 1 runs, 1380 3000 runs, 1380 3000 scattered",
            string.Join(", ", result.Rows.Select(row => $"{row.SizeBytes} {row.Peers} {row.Pattern}")));
        Assert.All(result.Rows, row => Assert.True(row.NanosecondsPerDatagram > 0 && row.TimesOneSession > 0));
        Assert.All(result.Rows, row => Assert.Equal([row.NanosecondsPerDatagram], row.Samples));
        Assert.Equal(3000, result.AgingPeers);

        // A pass covers 1,024 entries while nothing expires, and a ninth of that otherwise.
        Assert.InRange(result.AgingPasses, 3 + (3000 * 9 / 1024), 200);
        Assert.True(result.AgingPassSeenMicroseconds >= result.AgingPassMicroseconds);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(SessionsOptions.MaxPeerCount + 1)]
    public void Execute_PeersOutOfRange_AreRefused(int peerCount) =>
        Assert.Throws<BenchException>(() => SessionsRun.Execute(
            new SessionsOptions { PeerCounts = [peerCount] }, cancellationToken: Cancellation));

    [Fact]
    public void Create_ManyPeers_AreAllDifferent() =>
        Assert.Equal(200_000, BenchPeers.Create(200_000).Distinct().Count());

    [Fact]
    public void Draw_TwoPeers_NeverTheSameInARow()
    {
        UdpEndPoint[] peers = BenchPeers.Create(2);
        var sequence = new UdpEndPoint[1000];

        BenchPeers.Draw(peers, sequence, new Random(1));

        Assert.All(Enumerable.Range(1, 999), i => Assert.NotEqual(sequence[i - 1], sequence[i]));
    }
}
