using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>Errors that come back from the network, told with the peer they are about.</summary>
public abstract partial class DatagramContract
{
    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task TryReceiveIcmpError_DeadPeerAmongLiveOnes_NamesItAndTheOthersLoseNothing(Form form)
    {
        if (!TryBindWithIcmpErrors(UdpEndPoint.Loopback(0), out UdpSocket sender)) return;
        UdpSocket[] live = [BindLoopback(), BindLoopback()];
        UdpEndPoint dead = OwnAddress.New();
        List<Outgoing> datagrams = [];
        for (int i = 0; i < 60; i++)
        {
            UdpEndPoint peer = i % 3 == 2 ? dead : live[i % 3].LocalEndPoint;
            datagrams.Add(new(peer, Payloads.Make(100 + (i % 7), i)));
        }

        SendResult result = await SendAllAsync(form, sender, datagrams);

        Assert.Equal(new SendResult(60, 0, 0, SocketError.Success, SendStatus.Done), result);
        foreach (UdpSocket one in live)
        {
            IEnumerable<byte[]> expected = datagrams.Where(to => to.Peer == one.LocalEndPoint).Select(to => to.Payload);
            Assert.Equal(expected, await ReceivePayloadsAsync(form, one, 20));
        }

        UdpIcmpError error = default;
        Eventually(() => sender.TryReceiveIcmpError(out error), "the error came");
        Assert.Equal((dead, SocketError.ConnectionRefused), (error.Peer, error.Error));
        Assert.Equal(((int?)3, (int?)3, (int?)null), (error.IcmpType, error.IcmpCode, error.PathMtuBytes));
        Assert.Equal(dead.Address, error.Reporter);
        while (sender.TryReceiveIcmpError(out error)) Assert.Equal(dead, error.Peer);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_ErrorsPending_DatagramsStillCome(Form form)
    {
        if (!TryBindWithIcmpErrors(UdpEndPoint.Loopback(0), out UdpSocket socket)) return;
        UdpSocket live = BindLoopback();
        UdpEndPoint dead = OwnAddress.New();
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal(1, socket.SendTo([1], dead).Sent);
            Task<List<byte[]>> receiving = Task.Run(() => ReceivePayloadsAsync(form, socket, 1), Stop);
            SendNow(live, socket.LocalEndPoint, [(byte)i]);

            Assert.Equal([[(byte)i]], await receiving);
        }

        UdpIcmpError error = default;
        Eventually(() => socket.TryReceiveIcmpError(out error), "the error came");
        Assert.Equal(dead, error.Peer);
    }

    [Fact]
    public void Receive_ErrorBehindEveryDatagram_ErrorsCount()
    {
        const int RoundCount = 20;
        if (!TryBindWithIcmpErrors(UdpEndPoint.Loopback(0), out UdpSocket socket)) return;
        UdpSocket live = BindLoopback();
        UdpEndPoint dead = OwnAddress.New();
        using ReceiveBatch batch = socket.CreateReceiveBatch();

        // A ring's request is under way from here on, so that datagram and error are complete together.
        Assert.Equal(ReceiveStatus.TimedOut, socket.Receive(batch, TimeSpan.Zero));
        for (int i = 0; i < RoundCount; i++)
        {
            SendNow(live, socket.LocalEndPoint, [(byte)i]);
            Assert.Equal(1, socket.SendTo([1], dead).Sent);
            Assert.Equal(ReceiveStatus.Received, socket.Receive(batch, TimeSpan.FromSeconds(10)));
            Assert.Equal((byte)i, batch[0].Payload[0]);
        }

        // Not exactly: a busy kernel may bring two at once and keeps one of them, and it announces anew what is left
        // while its queue of errors is read (sock_dequeue_err_skb), which a ring hears.
        Assert.Equal(ReceiveStatus.TimedOut, socket.Receive(batch, TimeSpan.Zero));
        Assert.InRange(socket.GetCounters().IcmpErrors, RoundCount / 2, 2 * RoundCount);
    }

    [Fact]
    public async Task Send_AnotherThreadMeetsErrors_LivePeerIsNotBlamed()
    {
        if (!TryBindWithIcmpErrors(UdpEndPoint.Loopback(0), out UdpSocket sender)) return;
        UdpSocket live = BindLoopback();
        UdpEndPoint dead = OwnAddress.New();
        Task disturbing = Task.Run(
            () =>
            {
                while (sender.SendTo([0], dead).Status != SendStatus.Closed)
                {
                }
            },
            Stop);

        // Rounds, so that the receive buffer holds one; and not before the other thread is at it.
        int sent = 0;
        Eventually(() => sender.GetCounters().DatagramsSent > 0, "the other thread sent");
        for (int round = 0; round < 10; round++)
        {
            for (int i = 0; i < 1000; i++) sent += sender.SendTo([1], live.LocalEndPoint).Sent;
            Assert.Equal((round + 1) * 1000, sent);
            await ReceiveAllAsync(Form.Batch, live, 1000);
        }

        sender.Dispose();
        await disturbing;
    }

    [Fact]
    public void TryReceiveIcmpError_MoreThanAreKept_OldestGiveWay()
    {
        if (!TryBindWithIcmpErrors(UdpEndPoint.Loopback(0), out UdpSocket socket)) return;
        UdpEndPoint dead = OwnAddress.New();
        for (int i = 0; i < 600; i++) socket.SendTo([1], dead);
        UdpEndPoint last = OwnAddress.New();
        socket.SendTo([1], last);

        int count = 0;
        UdpIcmpError error = default;
        Eventually(() => Next() && error.Peer == last, "the newest error came");

        Assert.InRange(count, 2, 300);

        bool Next()
        {
            if (!socket.TryReceiveIcmpError(out error)) return false;
            count++;
            return true;
        }
    }

    [Fact]
    public void TryReceiveIcmpError_OverIPv6_NamesThePeer()
    {
        RequireIPv6();
        if (!TryBindWithIcmpErrors(UdpEndPoint.IPv6Any(0), out UdpSocket socket)) return;
        UdpEndPoint dead = UdpEndPoint.IPv6Loopback(OwnAddress.New().Port);
        UdpEndPoint deadIPv4 = OwnAddress.New();

        Assert.Equal(1, socket.SendTo([1], dead).Sent);
        Assert.Equal(1, socket.SendTo([1], deadIPv4).Sent);

        HashSet<UdpEndPoint> named = [];
        Eventually(
            () =>
            {
                if (socket.TryReceiveIcmpError(out UdpIcmpError error)) named.Add(error.Peer);
                return named.Count == 2;
            },
            "both errors came");
        Assert.Equal([dead, deadIPv4], named);
    }

    [Fact]
    public void TryReceiveIcmpError_NoOtherCallMetTheError_CountsIt()
    {
        if (!TryBindWithIcmpErrors(UdpEndPoint.Loopback(0), out UdpSocket socket)) return;

        Assert.Equal(1, socket.SendTo([1], OwnAddress.New()).Sent);
        Eventually(() => socket.TryReceiveIcmpError(out _), "the error came");

        // A ring's request would take the error too, and a receive would count it.
        if (_backend is not UdpBackend.Uring) Assert.Equal(1, socket.GetCounters().IcmpErrors);
    }

    [Fact]
    public void TryReceiveIcmpError_NotAskedFor_False()
    {
        UdpSocket socket = BindLoopback();
        socket.SendTo([1], OwnAddress.New());

        Assert.False(socket.TryReceiveIcmpError(out UdpIcmpError error));
        Assert.Equal(default, error);
    }

    /// <summary>False on a backend that cannot tell, after it was seen to refuse with the reason.</summary>
    private bool TryBindWithIcmpErrors(UdpEndPoint local, out UdpSocket socket)
    {
        socket = null!;
        if (!IsOfLinux)
        {
            Assert.Throws<PlatformNotSupportedException>(() => Bind(local, Options(icmpErrors: true)));
            return false;
        }

        socket = Bind(local, Options(icmpErrors: true));
        return true;
    }
}
