using System.Buffers.Binary;
using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>Many datagrams at once: GSO messages, mixed peers and sizes, more than fit.</summary>
public abstract partial class DatagramContract
{
    // SO_TIMESTAMPNS (old and new), SO_RXQ_OVFL of asm-generic/socket.h: their messages come before UDP_GRO.
    [Theory, InlineData(35), InlineData(64), InlineData(40)]
    public async Task Receive_RawOptionAddsAMessage_GsoMessagesAreStillCut(int option)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the numbers are those of Linux");
        const int solSocket = 1;
        UdpSocket receiver = BindLoopback();
        receiver.SetRawSocketOption(solSocket, option, BitConverter.GetBytes(1));
        byte[][] payloads = Payloads.Same(20, 100);

        await SendPayloadsAsync(Form.Batch, BindLoopback(), receiver.LocalEndPoint, payloads);

        List<Incoming> received = await ReceiveAllAsync(Form.Batch, receiver, 20);
        Assert.Equal(payloads, received.Select(datagram => datagram.Payload));
        Assert.DoesNotContain(received, datagram => datagram.IsTruncated);
    }

    [Fact]
    public async Task Adopt_SocketThatCoalesces_GsoMessagesAreCutOrNeverCome()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the numbers are those of Linux");
        const int solUdp = 17, udpGro = 104;
        foreach (bool coalesced in new[] { false, _coalesces })
        {
            Socket socket = NewBound();
            socket.SetRawSocketOption(solUdp, udpGro, BitConverter.GetBytes(1));
            UdpSocket receiver = Own(UdpSocket.FromSocket(socket, Options(coalesced: coalesced)));

            await SendPayloadsAsync(Form.Batch, BindLoopback(), receiver.LocalEndPoint, Payloads.Same(20, 100));

            Assert.Equal(Payloads.Same(20, 100), await ReceivePayloadsAsync(Form.Batch, receiver, 20));
        }
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Transfer_ShortLastSegment_BoundsAreKept(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        byte[][] payloads = Payloads.Of(1000, 1000, 1000, 1000, 10, 1000, 1000, 999, 999, 1);

        await SendPayloadsAsync(form, sender, receiver.LocalEndPoint, payloads);

        Assert.Equal(payloads, await ReceivePayloadsAsync(form, receiver, payloads.Length));
    }

    [Theory, MemberData(nameof(Forms.OfOne), MemberType = typeof(Forms))]
    public Task ReceiveFrom_GsoMessageIntoSmallBuffers_ArrivesAsFiveDatagrams(Form form) =>
        ReceiveGsoMessageAsync(form, hasBatch: false, expectedBuffers: 5);

    [Theory, MemberData(nameof(Forms.OfOne), MemberType = typeof(Forms))]
    public Task ReceiveFrom_GsoMessageAfterABatchWasMade_ArrivesAsFiveDatagramsOfOneBuffer(Form form) =>
        ReceiveGsoMessageAsync(form, hasBatch: true, expectedBuffers: 1);

    private async Task ReceiveGsoMessageAsync(Form form, bool hasBatch, int expectedBuffers)
    {
        // At an address of its own: a path MTU that the kernel was told for 127.0.0.1 would end the GSO message.
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = Bind(OwnAddress.New());
        if (hasBatch) receiver.CreateReceiveBatch().Dispose();
        byte[][] payloads = Payloads.Same(5, 2000);

        await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, payloads);
        List<Incoming> received = await ReceiveAllAsync(form, receiver, 5, slotBytes: 2048);

        Assert.Equal(payloads, received.Select(datagram => datagram.Payload));
        Assert.All(received, datagram => Assert.False(datagram.IsTruncated));
        Assert.Equal(5, receiver.GetCounters().DatagramsReceived);
        Assert.Equal(0, receiver.GetCounters().DatagramsTruncated);
        if (_segments) Assert.Equal(1, sender.GetCounters().MessagesSent);
        if (!_coalesces) return;

        // A ring coalesces from the start.
        bool receivesBefore = receiver.Backend is UdpBackend.Uring or UdpBackend.Winsock or UdpBackend.Rio;
        int buffers = receivesBefore ? 1 : expectedBuffers;
        Assert.Equal(buffers, receiver.GetCounters().BuffersReceived);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_AfterSingleReceiverOfAGsoMessage_GoesOnWhereTheyEnded(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        receiver.CreateReceiveBatch().Dispose();
        byte[][] payloads = Payloads.Same(9, 700);
        await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, payloads);

        List<byte[]> first = await ReceivePayloadsAsync(Form.One, receiver, 2);
        List<byte[]> rest = await ReceivePayloadsAsync(form, receiver, 7);

        Assert.Equal(payloads, first.Concat(rest));
        Assert.Equal(9, receiver.GetCounters().DatagramsReceived);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Send_ManyPeersAndSizes_EachPeerGetsItsOwnInOrder(Form form)
    {
        Random random = RandomCase.Create();
        UdpSocket sender = BindLoopback();
        UdpSocket[] receivers = [.. Enumerable.Range(0, 7).Select(_ => BindLoopback())];
        List<Outgoing> datagrams = [];
        int lengthBytes = 0;
        for (int i = 0; i < 500; i++)
        {
            if (random.Next(3) == 0) lengthBytes = random.Next(4) == 0 ? random.Next(9000) : 4 + random.Next(3);
            datagrams.Add(new(receivers[random.Next(receivers.Length)].LocalEndPoint, Payloads.Make(lengthBytes, i)));
        }

        SendResult result = await SendAllAsync(form, sender, datagrams);

        Assert.Equal(500, result.Sent);
        foreach (UdpSocket receiver in receivers)
        {
            List<byte[]> expected =
                [.. datagrams.Where(one => one.Peer == receiver.LocalEndPoint).Select(one => one.Payload)];
            Assert.Equal(expected, await ReceivePayloadsAsync(form, receiver, expected.Count));
        }
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_ManyPeersInTurn_OrderOfEachIsKept(Form form)
    {
        UdpSocket receiver = BindLoopback();
        UdpSocket[] senders = [.. Enumerable.Range(0, 6).Select(_ => BindLoopback())];
        for (int round = 0; round < 10; round++)
        {
            foreach (UdpSocket sender in senders)
            {
                byte[][] payloads = Payloads.Same(3, 200);
                foreach (byte[] payload in payloads)
                    BinaryPrimitives.WriteInt32BigEndian(payload.AsSpan(4), round);
                await SendPayloadsAsync(form, sender, receiver.LocalEndPoint, payloads);
            }
        }

        List<Incoming> received = await ReceiveAllAsync(form, receiver, 180);

        foreach (UdpSocket sender in senders)
        {
            IEnumerable<(int Round, int Tag)> order = received
                .Where(datagram => datagram.Peer == sender.LocalEndPoint)
                .Select(datagram => (
                    BinaryPrimitives.ReadInt32BigEndian(datagram.Payload.AsSpan(4)),
                    BinaryPrimitives.ReadInt32BigEndian(datagram.Payload)));
            Assert.Equal(Enumerable.Range(0, 30).Select(i => (i / 3, i % 3)), order);
        }
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Transfer_MoreThanABatchHolds_AllArriveInOrder(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        byte[][] payloads = [.. Enumerable.Range(0, BurstOf(700)).Select(tag => Payloads.Make(4 + (tag / 50), tag))];

        await SendPayloadsAsync(form, sender, receiver.LocalEndPoint, payloads);
        List<Incoming> received = await ReceiveAllAsync(form, receiver, payloads.Length, slotCount: 3);

        Assert.Equal(payloads, received.Select(datagram => datagram.Payload));
    }

    [Fact]
    public async Task Send_OnePeerOneSize_LeavesAsGsoMessagesWhereAskedFor()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();

        await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, Payloads.Same(64, 100));
        await ReceiveAllAsync(Form.Batch, receiver, 64);

        UdpCounters sent = sender.GetCounters();
        Assert.Equal((_segments ? 1 : 64, 1), (sent.MessagesSent, sent.SendCalls == 0 ? 0 : 1));
        Assert.Equal(_segments, sender.SegmentedSend);
        Assert.Equal(_coalesces, receiver.CoalescedReceive);
        Assert.Equal(_backend, sender.Backend);
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task Send_GsoMessageRefusedByTheKernel_FallsBackAndNothingIsLost(bool connected)
    {
        // Without a checksum (SO_NO_CHECK) the kernel answers EINVAL to a GSO message (udp_send_skb), as some routes
        // do.
        Assert.SkipUnless(OperatingSystem.IsLinux(), "SO_NO_CHECK is a Linux option");
        const int solSocket = 1, soNoCheck = 11;
        UdpSocket receiver = BindLoopback();
        UdpSocket sender = connected ? Connect(receiver.LocalEndPoint) : BindLoopback();
        sender.SetRawSocketOption(solSocket, soNoCheck, [1, 0, 0, 0]);
        byte[][] payloads = Payloads.Same(40, 100);

        await SendPayloadsAsync(Form.Batch, sender, connected ? default : receiver.LocalEndPoint, payloads);
        await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, payloads);

        Assert.Equal(payloads.Concat(payloads), await ReceivePayloadsAsync(Form.Batch, receiver, 80));
        Assert.Equal(_segments ? 1 : 0, sender.GetCounters().GsoFallbacks);
        Assert.Equal(80, sender.GetCounters().DatagramsSent);
    }
}
