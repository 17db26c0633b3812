using Spate.Cli.Bench.Sessions;

namespace Spate.Tests.Cli.Bench.Sessions;

public sealed class BenchPeersTests
{
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
