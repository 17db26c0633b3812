using System.Buffers.Binary;
using Spate.Serving;
using Spate.Testing;

namespace Spate.Tests.Serving;

/// <summary>Datagrams handed over to code that awaits.</summary>
public sealed class UdpChannelHandlerTests
{
    private const int Count = 2_000;

    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:40000");

    public static TheoryData<bool, bool, int> Forms => new MatrixTheoryData<bool, bool, int>(
        [true, false], [true, false], [16, 1_400, 5_000]);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public void Default_OfDatagrams_TellsNothingAndThrowsNothing()
    {
        UdpChannelDatagram handed = default;
        Assert.False(handed.TryReply([1]));
        Assert.Equal((0, true, 0), (handed.Payload.Length, handed.Peer.IsDefault, handed.LocalEndPointIndex));
        Assert.False(handed.IsTruncated);
        handed.Dispose();

        ReceivedDatagram received = default;
        Assert.Null(received.InterfaceIndex ?? received.TrafficClass ?? received.Dscp ?? received.TimeToLive);
        Assert.Null(received.Ecn);
        Assert.Null(received.TimestampUnixNanoseconds);
        Assert.Equal((0, false, true), (received.Length, received.IsTruncated, received.Peer.IsDefault));
        Assert.True(received.LocalAddress.IsDefault);
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task Read_LoadOfAFewReaders_EachOnceAndCounted(bool copies, bool coalesced, int payloadBytes)
    {
        List<UdpChannelHandler> handlers = [];
        int threadCount = OperatingSystem.IsLinux() ? 2 : 1;
        await using UdpServer server = Start(
            threadCount, coalesced, shard => Add(handlers, Make(shard, 1 << 14, copies)));
        int[] seen = new int[Count];
        using UdpSocket client = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        Task[] readers = [.. handlers.SelectMany(handler => new[] { Read(handler), Read(handler) })];
        using SendBatch batch = client.CreateSendBatch();
        for (int i = 0; i < Count;)
        {
            while (i < Count && batch.TryReserve(server.LocalEndPoints[0], payloadBytes, out Span<byte> payload))
            {
                payload.Fill((byte)i);
                BinaryPrimitives.WriteInt32LittleEndian(payload, i++);
            }

            client.Send(batch);
        }

        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);
        await Task.WhenAll(readers).WaitAsync(ServerCase.Patience, Token);
        Assert.All(seen, times => Assert.InRange(times, 0, 1));
        Assert.Equal(server.GetStatistics().Handled, seen.Sum());
        Assert.Equal(seen.Sum(), handlers.Sum(handler => handler.HandedOver));
        Assert.Equal(0, handlers.Sum(handler => handler.DroppedFull + handler.DroppedUnread));
        Assert.Equal(0, server.GetStatistics().Threads.Sum(thread => thread.HandlerFaults));

        async Task Read(UdpChannelHandler handler)
        {
            await foreach (UdpChannelDatagram datagram in handler.Reader.ReadAllAsync(Token))
            {
                using (datagram)
                {
                    int number = BinaryPrimitives.ReadInt32LittleEndian(datagram.Payload.Span);
                    Assert.Equal(payloadBytes, datagram.Payload.Length);
                    Assert.False(datagram.Payload.Span[4..].ContainsAnyExcept((byte)number), "Bytes of another.");
                    Assert.Equal(client.LocalEndPoint, datagram.Peer);
                    Interlocked.Increment(ref seen[number]);
                }
            }
        }
    }

    [Fact]
    public void TryReply_FromAReader_LeavesByTheEndPointAskedAt()
    {
        UdpChannelHandler? handler = null;
        using TestShard test = new(
            shard => handler = new UdpChannelHandler(shard),
            new TestShardOptions { LocalEndPoints = [UdpEndPoint.Loopback(1), UdpEndPoint.IPv6Loopback(1)] });
        UdpEndPoint[] peers = [UdpEndPoint.Loopback(9), UdpEndPoint.IPv6Loopback(9)];
        for (int local = 0; local < 2; local++)
        {
            test.Receive(peers[local], [7], local);
            Assert.True(handler!.Reader.TryRead(out UdpChannelDatagram datagram));
            byte[] answer = [(byte)datagram.LocalEndPointIndex, datagram.Payload.Span[0]];
            datagram.Dispose();

            Assert.True(datagram.TryReply(answer));
            test.Run();

            Assert.Equal([new(peers[local], [(byte)local, 7]) { LocalEndPointIndex = local }], test.TakeSent());
        }
    }

    [Theory]
    [InlineData("198.51.100.7", "198.51.100.7")]
    [InlineData("233.252.0.1", null)]
    public void TryReply_LocalAddressIsKnown_LeavesFromTheAddressAsked(string asked, string? from)
    {
        UdpChannelHandler? handler = null;
        using TestShard test = new(shard => handler = new UdpChannelHandler(shard));
        UdpEndPoint peer = UdpEndPoint.Loopback(9);
        test.ReceiveBatch(new IncomingDatagram(peer, [1]) { LocalAddress = UdpAddress.Parse(asked) });
        Assert.True(handler!.Reader.TryRead(out UdpChannelDatagram datagram));
        using (datagram) Assert.True(datagram.TryReply([2]));

        test.Run();

        Assert.Equal(
            from is null ? default : UdpAddress.Parse(from), Assert.Single(test.Sent).Control.LocalAddress);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Channel_Full_DropsAreCountedAndTheRestCanBeRead(bool copies)
    {
        const int capacity = 10, sent = 100;
        UdpChannelHandler? handler = null;
        using TestShard test = new(shard => handler = Make(shard, capacity, copies));
        Send(test, sent);
        test.Stop();
        Assert.Equal((capacity, sent - capacity), (handler!.HandedOver, handler.DroppedFull));
        int next = 0;
        await foreach (UdpChannelDatagram datagram in handler.Reader.ReadAllAsync(Token))
        {
            Assert.Equal(next++, datagram.Payload.Span[0]);
            datagram.Dispose();
            Assert.Throws<ObjectDisposedException>(() => datagram.Payload);
            Assert.False(datagram.TryReply([1]), "The shard has ended.");
        }

        Assert.Equal(capacity, next);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void IsTruncated_LongerThanItsSlot_IsToldToTheReader(bool copies)
    {
        UdpChannelHandler? handler = null;
        using TestShard test = new(
            shard => handler = Make(shard, 16, copies),
            new TestShardOptions { ReceiveBatch = new ReceiveBatchOptions { SlotBytes = 10 } });
        foreach (int length in new[] { 10, 11 })
        {
            test.Receive(Peer, new byte[length]);
            Assert.True(handler!.Reader.TryRead(out UdpChannelDatagram datagram));
            using (datagram) Assert.Equal((10, length > 10), (datagram.Payload.Length, datagram.IsTruncated));
        }
    }

    [Fact]
    public async Task DropUnread_ReadersGone_RestAndWhatComesIsCounted()
    {
        const int sent = 100;
        UdpChannelHandler? handler = null;
        using TestShard test = new(shard => handler = new UdpChannelHandler(shard));
        Send(test, 1);
        Assert.True(handler!.Reader.TryRead(out UdpChannelDatagram first));
        first.Dispose();
        Send(test, sent);
        handler.DropUnread();
        Send(test, sent);
        test.Stop();
        handler.DropUnread();
        Assert.Equal(0, handler.DroppedFull);

        // What was put into the channel is read, or dropped unread; so is what came when it had ended.
        Assert.Equal(2 * sent, handler.DroppedUnread);
        await handler.Reader.Completion.WaitAsync(ServerCase.Patience, Token);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData((1 << 20) + 1)]
    public void Capacity_Impossible_Refused(int capacity) =>
        Assert.Throws<ArgumentOutOfRangeException>(
            () => new TestShard(shard => Make(shard, capacity, copies: true)));

    private static UdpChannelHandler Make(UdpShard shard, int capacity, bool copies) =>
        new(shard, new UdpChannelHandlerOptions { Capacity = capacity, CopyPayloads = copies });

    private static UdpChannelHandler Add(List<UdpChannelHandler> handlers, UdpChannelHandler handler)
    {
        lock (handlers) handlers.Add(handler);
        return handler;
    }

    private static UdpServer Start(int threadCount, bool coalesced, Func<UdpShard, UdpHandler> handlerFactory) =>
        UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                ThreadCount = threadCount,
                Socket = new UdpSocketOptions { CoalescedReceive = coalesced },
                ReceiveBatch = new ReceiveBatchOptions { SlotCount = 8, SlotBytes = 5_000 },
            },
            handlerFactory);

    private static void Send(TestShard test, int count)
    {
        for (int i = 0; i < count; i++) test.Receive(Peer, [(byte)i]);
    }
}
