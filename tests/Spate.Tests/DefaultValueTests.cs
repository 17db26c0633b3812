using System.Net.Sockets;
using Spate.Serving;

namespace Spate.Tests;

/// <summary>The default of each public struct says that nothing happened, and can be asked for everything.</summary>
public sealed class DefaultValueTests
{
    [Fact]
    public void Statuses_Default_AreNoSuccess()
    {
        Assert.Equal(ReceiveStatus.None, default);
        Assert.Equal(SendStatus.None, default);
        Assert.NotEqual(ReceiveStatus.Received, default);
        Assert.NotEqual(SendStatus.Done, default);
        Assert.Equal(UdpDropUnit.None, default);
        Assert.Equal(SessionAdmission.None, default);
        Assert.Equal(SessionEndReason.None, default);
    }

    [Fact]
    public void SendResult_Default_IsNotComplete()
    {
        SendResult result = default;
        Assert.False(result.AllSent);
        Assert.Equal(SendStatus.None, result.Status);
        Assert.Equal((0, 0, 0), (result.Sent, result.Refused, result.Remaining));
        Assert.Equal(SocketError.Success, result.FirstError);
    }

    [Fact]
    public void Datagram_Default_IsEmptyAndOfNobody()
    {
        Datagram datagram = default;
        Assert.True(datagram.Peer.IsDefault);
        Assert.True(datagram.Payload.IsEmpty);
        Assert.False(datagram.IsTruncated);
        Assert.True(datagram.LocalAddress.IsDefault);
        Assert.Null(datagram.InterfaceIndex ?? datagram.TrafficClass ?? datagram.Dscp ?? datagram.TimeToLive);
        Assert.Null(datagram.Ecn);
        Assert.Null(datagram.TimestampUnixNanoseconds);
        using DatagramLease lease = datagram.Lease();
        Assert.True(lease.Payload.IsEmpty);
        Assert.True(lease.Peer.IsDefault);
    }

    [Fact]
    public void Datagram_DefaultForwarded_IsRefused()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = socket.CreateSendBatch();
        Assert.Throws<InvalidOperationException>(() => batch.TryForward(default, socket.LocalEndPoint));
        Assert.Equal(0, batch.Count);
    }
}
