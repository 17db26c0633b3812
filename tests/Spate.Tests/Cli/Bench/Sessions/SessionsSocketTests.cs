using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Targets;

namespace Spate.Tests.Cli.Bench.Sessions;

[QuietHost("traffic of others takes the places of its datagrams")]
public sealed class SessionsSocketTests
{
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
}
