using System.Net;
using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>A closed port that receives report as Socket does, where that was asked for.</summary>
public abstract partial class DatagramContract
{
    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_ClosedPortIsReported_ThrowsOnceAndTheSocketLives(Form form)
    {
        SkipWhereClosedPortsAreNotReported();
        Wine.SkipFor("icmp-errors-connected");
        UdpEndPoint closed = OwnAddress.New();
        UdpSocket client = Connect(closed, Options() with { ReportPortUnreachable = true });

        Assert.Equal(1, client.Send([1]).Sent);
        SocketException told = await Assert.ThrowsAsync<SocketException>(() => ReceiveAllAsync(form, client, 1));

        Assert.Equal(SocketError.ConnectionRefused, told.SocketErrorCode);
        Assert.Contains(closed.ToString(), told.Message, StringComparison.Ordinal);
        Assert.Equal(1, client.GetCounters().IcmpErrors);
        UdpSocket opened = Bind(closed);
        SendNow(opened, client.LocalEndPoint, [2]);
        Assert.Equal([[2]], await ReceivePayloadsAsync(form, client, 1));
    }

    [Theory, MemberData(nameof(Forms.Waiting), MemberType = typeof(Forms))]
    public async Task Receive_ClosedPortIsReportedWhileItWaits_Throws(Form form)
    {
        SkipWhereClosedPortsAreNotReported();
        UdpSocket client = Connect(OwnAddress.New(), Options() with { ReportPortUnreachable = true });
        Task<List<Incoming>> waiting = Task.Run(() => ReceiveAllAsync(form, client, 1), Stop);

        // Each send may also meet the answer itself, and leaves it to a receive.
        Eventually(() => client.Send([1]).Sent == 1 && waiting.IsCompleted, "the receive ended");

        SocketException told = await Assert.ThrowsAsync<SocketException>(() => waiting);
        Assert.Equal(SocketError.ConnectionRefused, told.SocketErrorCode);
    }

    /// <summary>With IP_RECVERR, a call that empties the error queue would take the error from the receives.</summary>
    [Theory, MemberData(nameof(Forms.Waiting), MemberType = typeof(Forms))]
    public async Task Receive_ClosedPortIsReportedAndErrorsAreQueued_Throws(Form form)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "IP_RECVERR is Linux's");
        const int ipReceiveErrors = 11;
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.SetRawSocketOption(0, ipReceiveErrors, [1, 0, 0, 0]);
        socket.Connect(OwnAddress.New().ToIPEndPoint());
        UdpSocket client = Own(
            UdpSocket.FromSocket(socket, Options() with { ReportPortUnreachable = true }));
        Task<List<Incoming>> waiting = Task.Run(() => ReceiveAllAsync(form, client, 1), Stop);

        Assert.Equal(1, client.Send([1]).Sent);

        SocketException told = await Assert.ThrowsAsync<SocketException>(() => waiting.WaitAsync(Limit, Stop));
        Assert.Equal(SocketError.ConnectionRefused, told.SocketErrorCode);
        Assert.Equal(1, client.GetCounters().IcmpErrors);
    }

    [Fact]
    public void Receive_SendMetTheAnswer_IsToldStill()
    {
        SkipWhereClosedPortsAreNotReported();
        Wine.SkipFor("icmp-errors-connected");
        UdpEndPoint closed = OwnAddress.New();
        UdpSocket client = Connect(closed, Options() with { ReportPortUnreachable = true });
        Assert.Equal(1, client.Send([1]).Sent);
        UdpSocket opened = Bind(closed);

        Assert.Equal(1, client.Send([2]).Sent);

        Assert.Throws<SocketException>(() => client.ReceiveFrom(new byte[10], Limit, out _));
        SendNow(opened, client.LocalEndPoint, [3]);
        Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(new byte[10], Limit, out _));
    }

    [Theory]
    [InlineData(false, Form.Batch)]
    [InlineData(false, Form.BatchTry)]
    [InlineData(true, Form.Batch)]
    [InlineData(true, Form.BatchTimed)]
    [InlineData(true, Form.BatchAsync)]
    [InlineData(true, Form.One)]
    public async Task Receive_ErrorsBetweenTheDatagramsOfABatch_EachIsCountedAndThrown(bool reports, Form form)
    {
        SkipWhereClosedPortsAreNotReported();
        // Elsewhere a socket that is connected to somebody else may not send, or hears what others send.
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the peer that sends and refuses is one of Linux");
        const int ErrorCount = 300;
        using Socket refusing = NewBound();
        refusing.Connect(OwnAddress.New().ToIPEndPoint());
        UdpSocket client = Connect(
            UdpEndPoint.FromIPEndPoint((IPEndPoint)refusing.LocalEndPoint!),
            Options() with { ReportPortUnreachable = reports });
        IPEndPoint address = client.LocalEndPoint.ToIPEndPoint();
        int thrownCount = 0;
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(Stop);
        Task sending = Task.Run(() => SendUntilTheEnd(refusing, address, end.Token), Stop);
        Task receiving = Task.Run(() => ReceiveUntilTheEndAsync(), Stop);

        // One at a time: the kernel keeps one error for a socket, and a second one takes its place.
        for (int i = 1; i <= ErrorCount; i++)
        {
            Assert.Equal(1, client.Send([1]).Sent);
            Eventually(() => ToldCount() >= i, $"error {i} of {ErrorCount} was told");
        }

        await end.CancelAsync();
        await sending;
        client.Dispose();
        await receiving;
        Assert.Equal(ErrorCount, client.GetCounters().IcmpErrors);
        Assert.Equal(reports ? ErrorCount : 0, thrownCount);

        long ToldCount() => reports ? Volatile.Read(ref thrownCount) : client.GetCounters().IcmpErrors;

        async Task ReceiveUntilTheEndAsync()
        {
            using ReceiveBatch batch = client.CreateReceiveBatch();
            byte[] buffer = new byte[10];
            ReceiveStatus status = ReceiveStatus.Received;
            while (status != ReceiveStatus.Closed)
            {
                try
                {
                    status = form switch
                    {
                        Form.One => client.ReceiveFrom(buffer, out _),
                        Form.BatchTry => client.TryReceive(batch),
                        _ => await TakeBatchAsync(form, client, batch),
                    };
                }
                catch (SocketException)
                {
                    Interlocked.Increment(ref thrownCount);
                }
            }
        }
    }

    // Without a pause, so that a batch has several datagrams; more than the buffer holds are dropped.
    private static void SendUntilTheEnd(Socket socket, IPEndPoint to, CancellationToken end)
    {
        SocketAddress address = to.Serialize();
        while (!end.IsCancellationRequested) socket.SendTo([7], SocketFlags.None, address);
    }

    [Fact]
    public void Connect_ClosedPortsReportedTwice_IsRefused()
    {
        SkipWhereClosedPortsAreNotReported();
        UdpEndPoint peer = OwnAddress.New();
        using var poller = new UdpPoller<int>();
        UdpSocket client = Connect(peer, Options() with { ReportPortUnreachable = true });

        Assert.Throws<ArgumentException>(
            () => Connect(peer, Options(icmpErrors: true) with { ReportPortUnreachable = true }));
        Assert.Throws<InvalidOperationException>(() => poller.Add(client, 0));
    }
}
