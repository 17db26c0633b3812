using System.Net;
using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>One peer only, alive or dead.</summary>
public abstract partial class DatagramContract
{
    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Connect_PeerNamedOrNot_BothWaysArrive(Form form)
    {
        UdpSocket server = BindLoopback();
        UdpSocket client = Connect(server.LocalEndPoint);

        await SendPayloadsAsync(form, client, default, Payloads.Of(10, 10, 3));
        await SendPayloadsAsync(form, client, server.LocalEndPoint, Payloads.Of(20));
        Assert.Equal(1, client.Send([1, 2]).Sent);
        List<Incoming> asked = await ReceiveAllAsync(form, server, 5);
        await SendPayloadsAsync(form, server, client.LocalEndPoint, Payloads.Of(0, 7));

        Assert.Equal([10, 10, 3, 20, 2], asked.Select(datagram => datagram.Payload.Length));
        Assert.All(asked, datagram => Assert.Equal(client.LocalEndPoint, datagram.Peer));
        Assert.Equal(server.LocalEndPoint, client.Peer);
        Assert.True(server.Peer.IsDefault);
        List<Incoming> answers = await ReceiveAllAsync(form, client, 2);
        Assert.Equal(Payloads.Of(0, 7), answers.Select(datagram => datagram.Payload));
        Assert.All(answers, datagram => Assert.Equal(server.LocalEndPoint, datagram.Peer));
    }

    [Fact]
    public async Task TryReserve_ConnectedWithoutPeer_GoesToThePeer()
    {
        RequireIPv6();
        UdpSocket server = Bind(UdpEndPoint.IPv6Loopback(0));
        UdpSocket client = Connect(server.LocalEndPoint);
        using SendBatch batch = client.CreateSendBatch();
        for (int i = 0; i < 20; i++)
        {
            Assert.True(batch.TryReserve(100, out Span<byte> room));
            Payloads.Make(100, i).CopyTo(room);
        }

        Assert.Equal(20, client.Send(batch).Sent);

        Assert.Equal(Payloads.Same(20, 100), await ReceivePayloadsAsync(Form.Batch, server, 20));
    }

    [Fact]
    public async Task Send_OneToTheConnectedPeer_ArrivesInEveryForm()
    {
        UdpSocket server = BindLoopback();
        UdpSocket client = Connect(server.LocalEndPoint);
        byte[] awaited = [3];

        Assert.True(client.Send([1]).AllSent);
        Assert.True(client.TrySend([2]).AllSent);
        Assert.True((await client.SendAsync(awaited, Stop)).AllSent);
        Assert.True(client.SendTo([4], default, Limit).AllSent);
        Assert.True(client.Send([5], Limit).AllSent);

        Assert.Equal([[1], [2], [3], [4], [5]], await ReceivePayloadsAsync(Form.Batch, server, 5));
        TimeSpan negative = TimeSpan.FromMilliseconds(-2);
        Assert.Throws<ArgumentOutOfRangeException>(() => client.SendTo([1], default, negative));
        Assert.Throws<ArgumentOutOfRangeException>(() => client.Send([1], negative));
    }

    [Fact]
    public async Task Connect_FromALocalAddress_SendsFromThere()
    {
        Wine.SkipFor("loopback-addresses");
        UdpSocket server = BindLoopback();
        UdpEndPoint local = new(IPAddress.Parse("127.0.0.23"), 0);

        UdpSocket client = Own(UdpSocket.Connect(server.LocalEndPoint, local, Options()));
        Assert.Equal(1, client.Send([1]).Sent);

        Assert.Equal(local, client.LocalEndPoint.WithPort(0));
        Assert.Equal(client.LocalEndPoint, (await ReceiveAllAsync(Form.Batch, server, 1))[0].Peer);
        Assert.Throws<ArgumentException>(
            () => UdpSocket.Connect(server.LocalEndPoint, UdpEndPoint.IPv6Loopback(0), Options()));
    }

    [Fact]
    public async Task Send_ConnectedPeerNamedInTurns_OrderIsKept()
    {
        UdpSocket server = BindLoopback();
        UdpSocket client = Connect(server.LocalEndPoint);
        using SendBatch batch = client.CreateSendBatch();
        byte[][] payloads = Payloads.Same(40, 100);
        for (int i = 0; i < payloads.Length; i++)
            Assert.True(batch.TryAdd(payloads[i], i % 2 == 0 ? default : server.LocalEndPoint));

        Assert.Equal(payloads.Length, client.Send(batch).Sent);

        Assert.Equal(payloads, await ReceivePayloadsAsync(Form.Batch, server, payloads.Length));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_ConnectedAndOthersSend_OnlyThePeerIsHeard(Form form)
    {
        UdpSocket server = BindLoopback();
        UdpSocket stranger = BindLoopback();
        UdpSocket client = Connect(server.LocalEndPoint);

        await SendPayloadsAsync(form, stranger, client.LocalEndPoint, Payloads.Same(3, 30));
        await SendPayloadsAsync(form, server, client.LocalEndPoint, Payloads.Same(2, 40));
        List<Incoming> received = await ReceiveAllAsync(form, client, 2);

        Assert.All(received, datagram => Assert.Equal(40, datagram.Payload.Length));
        using ReceiveBatch batch = client.CreateReceiveBatch();
        Assert.Equal(ReceiveStatus.Empty, client.TryReceive(batch));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Send_PeerIsDead_NoDatagramIsBlamedAndTheLoopLives(Form form)
    {
        Wine.SkipFor("receive-after-icmp");
        UdpEndPoint dead = OwnAddress.New();
        UdpSocket client = Connect(dead);

        // Of other sizes, so that each is a call of its own and may meet the answer to the one before.
        SendResult result = await SendAllAsync(
            form, client, Payloads.Of([.. Enumerable.Range(0, 30)]).To(default));

        Assert.Equal(new SendResult(30, 0, 0, SocketError.Success, SendStatus.Done), result);
        UdpSocket revived = Bind(dead);
        await SendPayloadsAsync(form, revived, client.LocalEndPoint, [1]);
        Assert.Equal([[1]], await ReceivePayloadsAsync(form, client, 1));
        Assert.Equal(0, client.GetCounters().DatagramsRefused);
        Assert.Equal(0, client.GetCounters().UnknownErrors);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_PeerIsDead_ErrorIsCountedAndTheLoopLives(Form form)
    {
        SkipWhereIcmpErrorsAreSilenced();
        UdpEndPoint dead = OwnAddress.New();
        UdpSocket client = Connect(dead);
        using ReceiveBatch batch = client.CreateReceiveBatch();

        Assert.Equal(1, client.Send([1]).Sent);
        Eventually(() => Poll() && client.GetCounters().IcmpErrors == 1, "the error was counted");
        Assert.Equal(1, client.Send([2]).Sent);
        UdpSocket revived = Bind(dead);
        SendNow(revived, client.LocalEndPoint, [3]);

        Assert.Equal([[3]], await ReceivePayloadsAsync(form, client, 1));
        Assert.Equal((0, 2), (client.GetCounters().DatagramsRefused, client.GetCounters().IcmpErrors));

        bool Poll()
        {
            ReceiveStatus status = form.IsOne() ? client.TryReceiveFrom(new byte[10], out _) : client.TryReceive(batch);
            Assert.Equal(ReceiveStatus.Empty, status);
            return true;
        }
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Send_UnconnectedWithoutPeer_IsRefused(Form form)
    {
        UdpSocket socket = BindLoopback();

        SendResult result = await SendAllAsync(form, socket, [new(default, [1]), new(socket.LocalEndPoint, [2])]);

        Assert.Equal((1, 1, 0), (result.Sent, result.Refused, result.Remaining));
        Assert.NotEqual(SocketError.Success, result.FirstError);
        Assert.Equal([[2]], await ReceivePayloadsAsync(form, socket, 1));
    }
}
