using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>Filling a send batch.</summary>
public abstract partial class DatagramContract
{
    [Fact]
    public async Task TryReserve_CapacityReached_FalseAndNothingChanged()
    {
        UdpSocket socket = BindLoopback();
        using SendBatch batch = socket.CreateSendBatch(new() { Capacity = 3 });
        UdpEndPoint self = socket.LocalEndPoint;
        for (int i = 0; i < 3; i++) Assert.True(batch.TryAdd([(byte)i], self));

        Assert.False(batch.TryReserve(self, 1, out Span<byte> room));
        Assert.True(room.IsEmpty);
        Assert.False(batch.TryAdd([9], self));

        Assert.Equal((3, 3), (batch.Count, batch.Capacity));
        Assert.Equal(3, socket.Send(batch).Sent);
        Assert.Equal(0, batch.Count);
        Assert.True(batch.TryAdd([3], self));
        Assert.Equal(1, socket.Send(batch).Sent);
        Assert.Equal([[0], [1], [2], [3]], await ReceivePayloadsAsync(Form.Batch, socket, 4));
    }

    [Fact]
    public void TryReserve_BufferFull_FalseUntilSentOrTrimmed()
    {
        UdpSocket socket = BindLoopback();
        using SendBatch batch = socket.CreateSendBatch(new() { BufferBytes = 65_527 });
        UdpEndPoint self = socket.LocalEndPoint;

        Assert.True(batch.TryReserve(self, 40_000, out _));
        Assert.False(batch.TryReserve(self, 40_000, out _));
        Assert.Equal(1, batch.Count);
        batch.Trim(20_000);
        Assert.True(batch.TryReserve(self, 40_000, out _));
        Assert.Equal(2, socket.Send(batch).Sent);
        Assert.True(batch.TryReserve(self, 65_000, out Span<byte> room));
        Assert.Equal(65_000, room.Length);
    }

    [Fact]
    public async Task Trim_LastReservation_ShortensItAlone()
    {
        UdpSocket socket = BindLoopback();
        using SendBatch batch = socket.CreateSendBatch();
        Fill(batch, socket.LocalEndPoint, 1, 500, 300);
        Fill(batch, socket.LocalEndPoint, 2, 300, 300);
        Fill(batch, socket.LocalEndPoint, 3, 300, 0);
        Fill(batch, socket.LocalEndPoint, 4, 300, 299);
        batch.Trim(298);

        Assert.Equal(4, socket.Send(batch).Sent);

        List<byte[]> received = await ReceivePayloadsAsync(Form.Batch, socket, 4);
        Assert.Equal([300, 300, 0, 298], received.Select(payload => payload.Length));
        Assert.All(received[0], value => Assert.Equal(1, value));
        Assert.All(received[1], value => Assert.Equal(2, value));
        Assert.All(received[3], value => Assert.Equal(4, value));
    }

    [Fact]
    public void Trim_WithoutReservationOrLonger_Throws()
    {
        UdpSocket socket = BindLoopback();
        using SendBatch batch = socket.CreateSendBatch();

        Assert.Throws<InvalidOperationException>(() => batch.Trim(0));
        Assert.True(batch.TryReserve(socket.LocalEndPoint, 10, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.Trim(11));
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.Trim(-1));
        Assert.Equal(1, socket.Send(batch).Sent);
        Assert.Throws<InvalidOperationException>(() => batch.Trim(0));
    }

    [Fact]
    public async Task Clear_AfterReservations_DropsThem()
    {
        UdpSocket socket = BindLoopback();
        using SendBatch batch = socket.CreateSendBatch();
        for (int i = 0; i < 100; i++) Assert.True(batch.TryAdd([1], socket.LocalEndPoint));

        batch.Clear();

        Assert.Equal(0, batch.Count);
        Assert.Equal(new SendResult(0, 0, 0, SocketError.Success, SendStatus.Done), socket.Send(batch));
        Assert.True(batch.TryAdd([2], socket.LocalEndPoint));
        Assert.Equal(1, socket.Send(batch).Sent);
        Assert.Equal([[2]], await ReceivePayloadsAsync(Form.Batch, socket, 1));
    }

    [Fact]
    public async Task TryReserve_RandomReservationsAndTrims_ArriveAsWritten()
    {
        Random random = RandomCase.Create();
        UdpSocket sender = BindLoopback();
        UdpSocket[] receivers = [BindLoopback(), BindLoopback(), BindLoopback()];
        List<byte[]>[] expected = [[], [], []];
        using SendBatch batch = sender.CreateSendBatch(new() { Capacity = 90 });
        for (int tag = 0; tag < BurstOf(3000); tag++)
        {
            int target = random.Next(random.Next(4) == 0 ? 3 : 1);
            int reservedBytes = random.Next(3) == 0 ? random.Next(300) : 100;
            int lengthBytes = random.Next(3) == 0 ? random.Next(reservedBytes + 1) : Math.Min(reservedBytes, 60);
            while (!TryFill(batch, receivers[target].LocalEndPoint, tag, reservedBytes, lengthBytes)) Flush();
            expected[target].Add(Payloads.Make(lengthBytes, tag));
        }

        Flush();

        for (int i = 0; i < receivers.Length; i++)
            Assert.Equal(expected[i], await ReceivePayloadsAsync(Form.Batch, receivers[i], expected[i].Count));

        void Flush()
        {
            int count = batch.Count;
            Assert.Equal(new SendResult(count, 0, 0, SocketError.Success, SendStatus.Done), sender.Send(batch));
        }
    }

    [Fact]
    public async Task Batches_OfOneBackend_ServeSocketsOfBothFamilies()
    {
        RequireIPv6();
        UdpSocket[] sockets = [BindLoopback(), Bind(UdpEndPoint.IPv6Loopback(0)), Bind(UdpEndPoint.IPv6Any(0))];
        using SendBatch outgoing = sockets[0].CreateSendBatch();
        using ReceiveBatch incoming = sockets[0].CreateReceiveBatch();
        for (int round = 0; round < 12; round++)
        {
            UdpSocket from = sockets[round % 3];
            UdpSocket to = round % 3 == 1 ? sockets[1] : sockets[0];
            for (int i = 0; i < 5; i++) Assert.True(outgoing.TryAdd(Payloads.Make(50, round + i), to.LocalEndPoint));
            Assert.Equal(5, from.Send(outgoing).Sent);
            for (int count = 0; count < 5;)
            {
                foreach (Incoming datagram in await ReceiveBatchAsync(Form.Batch, to, incoming))
                {
                    Assert.Equal(Payloads.Make(50, round + count++), datagram.Payload);
                    bool isDual = round % 3 == 2;
                    int port = from.LocalEndPoint.Port;
                    Assert.Equal(isDual ? UdpEndPoint.Loopback(port) : from.LocalEndPoint, datagram.Peer);
                }
            }
        }
    }

    private static bool TryFill(SendBatch batch, UdpEndPoint peer, int tag, int reservedBytes, int lengthBytes)
    {
        if (!batch.TryReserve(peer, reservedBytes, out Span<byte> room)) return false;
        Payloads.Make(lengthBytes, tag).CopyTo(room);
        batch.Trim(lengthBytes);
        return true;
    }

    private static void Fill(SendBatch batch, UdpEndPoint peer, byte value, int reservedBytes, int lengthBytes)
    {
        Assert.True(batch.TryReserve(peer, reservedBytes, out Span<byte> room));
        room.Fill(value);
        batch.Trim(lengthBytes);
    }
}
