using Spate.Testing;

namespace Spate.Tests.Testing;

/// <summary>Batches that no socket has made.</summary>
public sealed class TestBatchesTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:40000");
    private static readonly UdpEndPoint Other = UdpEndPoint.Parse("[2001:db8::2]:40000");

    [Fact]
    public void CreateReceiveBatch_OfDatagrams_HoldsThemInOrder()
    {
        using ReceiveBatch batch = TestBatches.CreateReceiveBatch(
            new(Peer, [1, 2]) { TimeToLive = 9 }, new(Other, new byte[30_000]), new(Peer, []));

        Assert.Equal((3, 30_002L, 3), (batch.Count, batch.ByteCount, batch.SlotCount));
        Assert.Equal((9, -1), (batch[0].TimeToLive, batch[1].TimeToLive ?? -1));
        Assert.Equal([1, 2], batch[0].Payload.ToArray());
        Assert.Equal((Other, 30_000), (batch.GetPeer(1), batch[1].Payload.Length));
        using DatagramLease lease = batch.Lease(0);
        Assert.Equal([1, 2], lease.Payload.ToArray());
    }

    [Fact]
    public void CreateReceiveBatch_OfNoneOrTooMany_IsEmptyOrRefused()
    {
        using ReceiveBatch empty = TestBatches.CreateReceiveBatch();
        IncomingDatagram[] many = [.. Enumerable.Repeat(new IncomingDatagram(Peer, []), 1025)];

        Assert.Equal(0, empty.Count);
        Assert.Throws<ArgumentOutOfRangeException>(() => TestBatches.CreateReceiveBatch(many));
        Assert.Equal("datagrams", Assert.Throws<ArgumentNullException>(
            () => TestBatches.CreateReceiveBatch([null!])).ParamName);
    }

    [Fact]
    public void GetDatagrams_OfAFilledBatch_AreItsDatagramsAndStay()
    {
        using ReceiveBatch received = TestBatches.CreateReceiveBatch(new IncomingDatagram(Peer, [9]));
        using SendBatch batch = TestBatches.CreateSendBatch();
        SendControl control = new() { TimeToLive = 1 };
        Assert.True(batch.TryAdd([1], Peer));
        Assert.True(batch.TryAdd([2], Other));
        Assert.True(batch.TryForward(received[0], Peer, control));
        Assert.True(batch.TryAdd([3], Peer));
        SentDatagram[] expected =
            [new(Peer, [1]), new(Other, [2]), new(Peer, [9]) { Control = control }, new(Peer, [3])];

        Assert.Equal(expected, TestBatches.GetDatagrams(batch));
        Assert.Equal(expected, TestBatches.GetDatagrams(batch));
        Assert.Equal(4, batch.Count);
        batch.Clear();
        Assert.Empty(TestBatches.GetDatagrams(batch));
    }

    [Fact]
    public void GetDatagrams_OfASocketsBatch_AreThoseThatItHasNotSent()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = socket.CreateSendBatch();
        for (byte i = 0; i < 5; i++) Assert.True(batch.TryAdd([i], Peer));

        Assert.Equal([0, 1, 2, 3, 4], TestBatches.GetDatagrams(batch).Select(sent => (int)sent.Payload.Span[0]));
        Assert.Throws<ArgumentNullException>(() => TestBatches.GetDatagrams(null!));
        batch.Dispose();
        Assert.Throws<ObjectDisposedException>(() => TestBatches.GetDatagrams(batch));
    }

    [Fact]
    public void CreateSendBatch_Options_AreThoseOfASocket()
    {
        using SendBatch batch = TestBatches.CreateSendBatch(new SendBatchOptions { Capacity = 1 });

        Assert.True(batch.TryAdd([1], Peer));
        Assert.False(batch.TryAdd([2], Peer));
        Assert.Throws<ArgumentOutOfRangeException>(() => TestBatches.CreateSendBatch(new() { Capacity = 0 }));
    }
}
