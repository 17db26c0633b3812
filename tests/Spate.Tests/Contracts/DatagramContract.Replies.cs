using System.Buffers.Binary;
using System.Net;

namespace Spate.Tests.Contracts;

/// <summary>Answering from the address that was asked.</summary>
public abstract partial class DatagramContract
{
    [Theory, InlineData(false), InlineData(true)]
    public async Task TryReserveReply_SeveralAddressesAsked_EachAnswersItself(bool dualStack)
    {
        SkipWhereControlsAreIgnored();
        if (dualStack) RequireIPv6();
        UdpEndPoint any = dualStack ? UdpEndPoint.IPv6Any(0) : UdpEndPoint.Any(0);
        if (!TryBindWith(UdpMetadata.LocalAddress, any, out UdpSocket server)) return;
        UdpSocket client = BindLoopback();
        int port = server.LocalEndPoint.Port;
        UdpEndPoint[] asked = new UdpEndPoint[12];
        for (int i = 0; i < asked.Length; i++) asked[i] = new(new IPAddress([127, 0, 0, (byte)(2 + (i % 3))]), port);
        SendResult sent = await SendAllAsync(
            Form.Batch, client, asked.Select((address, i) => new Outgoing(address, Payloads.Make(100, i))));
        Assert.Equal(12, sent.Sent);

        AnswerAll(server, 12);

        List<Incoming> answers = await ReceiveAllAsync(Form.Batch, client, 12);
        Assert.Equal(Enumerable.Range(0, 12), answers.Select(answer => TagOf(answer.Payload)).Order());
        Assert.All(answers, answer => Assert.Equal(asked[TagOf(answer.Payload)], answer.Peer));
    }

    [Theory, MemberData(nameof(Forms.OfOne), MemberType = typeof(Forms))]
    public async Task SendControl_LocalAddressOfSingleReceive_IsTheAnswersSource(Form form)
    {
        SkipWhereControlsAreIgnored();
        if (!TryBindWith(UdpMetadata.LocalAddress, UdpEndPoint.Any(0), out UdpSocket server)) return;
        UdpEndPoint asked = new(IPAddress.Parse("127.0.0.2"), server.LocalEndPoint.Port);
        UdpSocket client = Connect(asked);
        Assert.Equal(1, client.Send([9]).Sent);

        Incoming request = (await ReceiveAllAsync(form, server, 1))[0];
        SendOneWith(server, request.Peer, new() { LocalAddress = request.LocalAddress });

        Assert.Equal(asked.Address, request.LocalAddress);
        Assert.Equal(asked, (await ReceiveAllAsync(form, client, 1))[0].Peer);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task TryReserveReply_AskedByBroadcast_AnswersFromAnOwnAddress(bool dualStack)
    {
        if (dualStack) RequireIPv6();
        UdpEndPoint any = dualStack ? UdpEndPoint.IPv6Any(0) : UdpEndPoint.Any(0);
        if (!TryBindWith(UdpMetadata.LocalAddress, any, out UdpSocket server)) return;
        UdpSocket client = BindLoopback(Options(broadcast: true));

        // The broadcast address of the loopback interface's 127.0.0.0/8.
        UdpEndPoint all = new(IPAddress.Parse("127.255.255.255"), server.LocalEndPoint.Port);
        Assert.Equal(1, client.SendTo(Payloads.Make(10, 3), all).Sent);

        AnswerAll(server, 1);

        Incoming answer = (await ReceiveAllAsync(Form.Batch, client, 1))[0];
        Assert.Equal((3, UdpEndPoint.Loopback(all.Port)), (TagOf(answer.Payload), answer.Peer));
    }

    [Fact]
    public async Task TryReserveReply_WithoutMetadata_GoesToThePeer()
    {
        UdpSocket server = BindLoopback();
        UdpSocket client = Connect(server.LocalEndPoint);
        Assert.Equal(1, client.Send(Payloads.Make(10, 3)).Sent);

        AnswerAll(server, 1);

        Assert.Equal(3, TagOf((await ReceivePayloadsAsync(Form.Batch, client, 1))[0]));
    }

    [Fact]
    public void Send_ControlOnPortable_IsRefusedWithTheReason()
    {
        UdpSocket socket = BindLoopback();
        using SendBatch batch = socket.CreateSendBatch();


        // Windows takes the two bits for ECN everywhere, and the others from some version on.
        Assert.True(batch.TryReserve(socket.LocalEndPoint, new SendControl { TrafficClass = 1 }, 1, out _));

        if (HasMetadata) Assert.Equal(1, socket.Send(batch).Sent);
        else Assert.Throws<PlatformNotSupportedException>(() => socket.Send(batch));
    }

    [Fact]
    public void Send_SourceAddressOfAnotherMachine_IsRefusedAndRestGoesOn()
    {
        if (!HasMetadata) return;
        SkipWhereControlsAreIgnored();
        UdpSocket socket = Bind(UdpEndPoint.Any(0));
        UdpEndPoint self = UdpEndPoint.Loopback(socket.LocalEndPoint.Port);
        using SendBatch batch = socket.CreateSendBatch();

        // 192.0.2.0/24 is for documentation (RFC 5737), so no machine has an address of it.
        SendControl foreign = new() { LocalAddress = UdpAddress.Parse("192.0.2.1") };
        Assert.True(batch.TryAdd([1], self));
        Assert.True(batch.TryReserve(self, foreign, 1, out _));
        Assert.True(batch.TryAdd([3], self));

        SendResult result = socket.Send(batch);

        Assert.Equal((2, 1, 0), (result.Sent, result.Refused, result.Remaining));
    }

    private static void AnswerAll(UdpSocket server, int count)
    {
        using ReceiveBatch requests = server.CreateReceiveBatch();
        using SendBatch replies = server.CreateSendBatch();
        for (int done = 0; done < count;)
        {
            Assert.Equal(ReceiveStatus.Received, server.Receive(requests));
            foreach (Datagram request in requests)
            {
                Assert.True(replies.TryReserveReply(request, request.Payload.Length, out Span<byte> room));
                request.Payload.CopyTo(room);
            }

            int asked = replies.Count;
            Assert.Equal(asked, server.Send(replies).Sent);
            done += asked;
        }
    }

    private static void SendOneWith(UdpSocket socket, UdpEndPoint peer, SendControl control)
    {
        using SendBatch batch = socket.CreateSendBatch();
        Assert.True(batch.TryReserve(peer, control, 4, out Span<byte> room));
        room.Fill(1);
        Assert.Equal(1, socket.Send(batch).Sent);
    }

    private static int TagOf(byte[] payload) => BinaryPrimitives.ReadInt32BigEndian(payload);

    /// <summary>False on a backend without metadata, after it was seen to refuse it with the reason.</summary>
    private bool TryBindWith(UdpMetadata metadata, UdpEndPoint local, out UdpSocket socket)
    {
        socket = null!;
        if (HasMetadata)
        {
            socket = Bind(local, Options(metadata));
            return true;
        }

        var refusal = Assert.Throws<PlatformNotSupportedException>(() => Bind(local, Options(metadata)));
        Assert.Contains("Metadata", refusal.Message, StringComparison.Ordinal);
        return false;
    }
}
