using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Batched;
using Spate.Measurement.Bench.Sessions;

namespace Spate.Tests.Measurement.Bench.Sessions;

[QuietHost("it loads the CPUs, and others would be measured")]
public sealed class SessionsRunTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void RunOnce_ThreeThousandPeers_MeasuresThePassesUntilAllHaveExpired()
    {
        AgingTimes repeat = AgingProbe.RunOnce(BenchPeers.Create(3000));

        // A pass covers 1,024 entries while nothing expires, and a ninth of that otherwise.
        Assert.InRange(repeat.Microseconds.Count, 3 + (3000 * 9 / 1024), 200);
        Assert.InRange(repeat.TableBytes, 3000 * 40, long.MaxValue);
    }

    [Fact]
    public void Drain_EveryPeerHasASession_FindsThemAll()
    {
        SpateRow row = SpateRow.Mmsg.UnavailableReason is null ? SpateRow.Mmsg : SpateRow.Portable;
        using var pair = new SessionsSocket(row, sizeBytes: 64, wantedCount: 640);
        var set = new PeerSet(10);
        var sequence = new UdpEndPoint[pair.DatagramCount];
        BenchPeers.Draw(set.Peers, sequence, new Random(1));

        Assert.Equal(pair.DatagramCount, pair.Fill(pair.DatagramCount));
        Assert.Equal(pair.DatagramCount, pair.Drain(set.Table, sequence, SessionsCell.ScatteredShift));
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
