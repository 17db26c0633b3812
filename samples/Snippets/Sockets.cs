using System.Net.Sockets;
using Spate;

namespace Snippets;

/// <summary>The code of docs/build/sockets.md.</summary>
internal static class Sockets
{
    public static void Leases()
    {
        // docs: leases
        var kept = new Queue<DatagramLease>();
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Any(9999));
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        if (socket.Receive(batch) == ReceiveStatus.Received)
        {
            foreach (Datagram datagram in batch)
                kept.Enqueue(datagram.Lease());                 // the batch goes on with another buffer
        }

        while (kept.TryDequeue(out DatagramLease lease))
        {
            using (lease) Handle(lease.Peer, lease.Payload.Span);
        }
        // end
    }

    public static void Connected()
    {
        // docs: connected
        using UdpSocket client = UdpSocket.Connect(UdpEndPoint.Parse("[::1]:9999"));
        client.Send("hello"u8);
        byte[] buffer = new byte[65_535];
        if (client.ReceiveFrom(buffer, TimeSpan.FromSeconds(1), out ReceivedDatagram answer) == ReceiveStatus.Received)
        {
            Console.WriteLine($"{answer.Length} bytes, cut off: {answer.IsTruncated}");
        }
        // end
    }

    public static void ClosedPort(UdpEndPoint server, byte[] buffer)
    {
        // docs: closed-port
        using UdpSocket client = UdpSocket.Connect(
            server, options: new UdpSocketOptions { ReportPortUnreachable = true });
        client.Send("hello"u8);
        try
        {
            client.ReceiveFrom(buffer, TimeSpan.FromSeconds(1), out ReceivedDatagram answer);
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.ConnectionRefused)
        {
            Console.WriteLine(fault.Message);                   // no program listens there; the socket can go on
        }
        // end
    }

    public static void Multicast()
    {
        // docs: multicast
        UdpAddress group = UdpAddress.Parse("239.1.2.3");
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Any(5000), new UdpSocketOptions { ReuseAddress = true });
        socket.JoinMulticastGroup(group);                           // an index names the interface, a source one sender
        socket.MulticastTimeToLive = 1;                         // routers to pass; 1, the default: the local network
        socket.SendTo("hello"u8, new UdpEndPoint(group, 5000)); // comes back too, unless MulticastLoopback is off
        // end
    }

    public static void Metadata()
    {
        // docs: metadata
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Any(9999), new UdpSocketOptions
        {
            Metadata = UdpMetadata.LocalAddress | UdpMetadata.TrafficClass | UdpMetadata.TimeToLive
                | UdpMetadata.Timestamp,
        });
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        if (socket.Receive(batch) == ReceiveStatus.Received)
        {
            Datagram first = batch[0];
            Console.WriteLine($"to {first.LocalAddress}, interface {first.InterfaceIndex}, DSCP {first.Dscp}, "
                + $"ECN {first.Ecn}, TTL {first.TimeToLive}, at {first.TimestampUnixNanoseconds} ns");
        }
        // end
    }

    public static SendResult Control(UdpSocket socket, SendBatch batch, UdpEndPoint peer)
    {
        // docs: control
        var control = new SendControl { TimeToLive = 4, TrafficClass = 46 << 2 };   // DSCP 46: expedited forwarding
        if (batch.TryReserve(peer, control, 200, out Span<byte> payload)) payload.Clear();
        SendResult result = socket.Send(batch);
        // end
        return result;
    }

    private static void Handle(UdpEndPoint peer, ReadOnlySpan<byte> payload) =>
        Console.WriteLine($"{peer}: {payload.Length} bytes");
}
