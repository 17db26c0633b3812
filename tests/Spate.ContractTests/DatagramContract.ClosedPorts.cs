using System.Net.Sockets;

namespace Spate.ContractTests;

/// <summary>A closed port that receives report as Socket does, where that was asked for.</summary>
public abstract partial class DatagramContract
{
    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_ClosedPortIsReported_ThrowsOnceAndTheSocketLives(Form form)
    {
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
        UdpSocket client = Connect(OwnAddress.New(), Options() with { ReportPortUnreachable = true });
        Task<List<Incoming>> waiting = Task.Run(() => ReceiveAllAsync(form, client, 1), Stop);

        // Each send may also meet the answer itself, and leaves it to a receive.
        Eventually(() => client.Send([1]).Sent == 1 && waiting.IsCompleted, "the receive ended");

        SocketException told = await Assert.ThrowsAsync<SocketException>(() => waiting);
        Assert.Equal(SocketError.ConnectionRefused, told.SocketErrorCode);
    }

    [Fact]
    public void Receive_SendMetTheAnswer_IsToldStill()
    {
        UdpEndPoint closed = OwnAddress.New();
        UdpSocket client = Connect(closed, Options() with { ReportPortUnreachable = true });
        Assert.Equal(1, client.Send([1]).Sent);
        UdpSocket opened = Bind(closed);

        Assert.Equal(1, client.Send([2]).Sent);

        Assert.Throws<SocketException>(() => client.ReceiveFrom(new byte[10], Limit, out _));
        SendNow(opened, client.LocalEndPoint, [3]);
        Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(new byte[10], Limit, out _));
    }

    [Fact]
    public void Connect_ClosedPortsReportedTwice_IsRefused()
    {
        UdpEndPoint peer = OwnAddress.New();
        using var poller = new UdpPoller<int>();
        UdpSocket client = Connect(peer, Options() with { ReportPortUnreachable = true });

        Assert.Throws<ArgumentException>(
            () => Connect(peer, Options(icmpErrors: true) with { ReportPortUnreachable = true }));
        Assert.Throws<InvalidOperationException>(() => poller.Add(client, 0));
    }
}
