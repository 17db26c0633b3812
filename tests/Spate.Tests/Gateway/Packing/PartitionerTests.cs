using System.Net;
using Spate.Gateway;
using Spate.Gateway.Packing;

namespace Spate.Tests.Gateway.Packing;

/// <summary>Which partition a datagram goes to.</summary>
public sealed class PartitionerTests
{
    private const int PartitionCount = 8;
    private const int PeerCount = 8_000;

    private static readonly UdpEndPoint[] Peers = [.. Enumerable.Range(0, PeerCount).Select(PeerAt)];

    [Fact]
    public void Of_PeerHash_PeerKeepsItsPartitionOnEveryThread()
    {
        Partitioner one = new(PartitionCount, GatewayPartitioning.PeerHash);
        Partitioner other = new(PartitionCount, GatewayPartitioning.PeerHash);
        int[] found = Array.ConvertAll(Peers, peer => one.Of(peer));
        for (int i = PeerCount - 1; i >= 0; i--)
        {
            one.OnSubmitted();
            Assert.Equal(found[i], one.Of(Peers[i]));
            Assert.Equal(found[i], one.Of(Peers[i]));
            Assert.Equal(found[i], other.Of(Peers[i]));
        }
    }

    /// <summary>Each partition gets a thousand peers, give or take thirteen standard deviations.</summary>
    [Fact]
    public void Of_PeerHash_PeersAreSpreadOverAllPartitions()
    {
        Partitioner partitioner = new(PartitionCount, GatewayPartitioning.PeerHash);
        int[] counts = new int[PartitionCount];
        foreach (UdpEndPoint peer in Peers) counts[partitioner.Of(peer)]++;
        Assert.All(counts, count => Assert.InRange(count, 600, 1_400));
    }

    [Fact]
    public void Of_RoundRobin_ChangesWithEachMessageAndNotWithDatagrams()
    {
        Partitioner partitioner = new(3, GatewayPartitioning.RoundRobin);
        for (int message = 0; message < 7; message++)
        {
            for (int i = 0; i < 10; i++) Assert.Equal(message % 3, partitioner.Of(Peers[i / 2]));
            partitioner.OnSubmitted();
        }
    }

    [Theory]
    [InlineData(GatewayPartitioning.PeerHash)]
    [InlineData(GatewayPartitioning.RoundRobin)]
    public void Of_OnePartition_IsThatOne(GatewayPartitioning partitioning)
    {
        Partitioner partitioner = new(1, partitioning);
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(0, partitioner.Of(Peers[i]));
            partitioner.OnSubmitted();
        }
    }

    // Of both families, and neighbours in address and port.
    private static UdpEndPoint PeerAt(int index)
    {
        IPAddress address = index % 2 == 0
            ? new IPAddress([10, 0, (byte)(index >> 8), (byte)index])
            : IPAddress.Parse($"2001:db8::{index:x}");
        return new UdpEndPoint(address, 1024 + (index % 7));
    }
}
