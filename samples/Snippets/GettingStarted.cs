using System.Net;
using System.Net.Sockets;
using Spate;
using Spate.Serving;

namespace Snippets;

/// <summary>The code of docs/start/getting-started.md.</summary>
internal static class GettingStarted
{
    public static void Receive()
    {
        // docs: receive
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Any(9999));
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        while (socket.Receive(batch) == ReceiveStatus.Received)
        {
            foreach (Datagram datagram in batch)
            {
                Handle(datagram.Peer, datagram.Payload);    // no copy: valid until the next Receive on this batch
            }
        }
        // end
    }

    public static void Send()
    {
        // docs: send
        UdpEndPoint peer = UdpEndPoint.Parse("127.0.0.1:9999");
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Any(0));
        using SendBatch batch = socket.CreateSendBatch();
        while (batch.TryReserve(peer, 1200, out Span<byte> payload))    // false: the batch is full
        {
            batch.Trim(Fill(payload));                                  // written where it is sent from, then shortened
        }

        SendResult result = socket.Send(batch);
        Console.WriteLine($"{result.Sent} sent, {result.Refused} refused: {result.FirstError}");
        // end
    }

    public static async Task ResolveAsync()
    {
        // docs: resolve
        IPAddress[] addresses = await Dns.GetHostAddressesAsync("localhost", AddressFamily.InterNetwork);
        using UdpSocket client = UdpSocket.Connect(new UdpEndPoint(addresses[0], 9999));
        // end
    }

    public static void Answer()
    {
        // docs: answer
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Any(9999));
        using ReceiveBatch requests = socket.CreateReceiveBatch();
        using SendBatch replies = socket.CreateSendBatch();
        while (socket.Receive(requests) == ReceiveStatus.Received)
        {
            foreach (Datagram request in requests)
            {
                if (!replies.TryForward(request, request.Peer))     // not copied: sent from where it was received
                {
                    socket.Send(replies);
                    replies.TryForward(request, request.Peer);
                }
            }

            socket.Send(replies);
        }
        // end
    }

    public static async Task Async()
    {
        // docs: async
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(9999));
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        while (await socket.ReceiveAsync(batch) == ReceiveStatus.Received)  // one await for many datagrams
        {
            for (int i = 0; i < batch.Count; i++)                           // by index: a foreach cannot await
            {
                await HandleAsync(batch.GetPeer(i), batch.GetPayload(i));
            }
        }
        // end
    }

    public static async Task TimeLimitAsync(UdpSocket client, byte[] request)
    {
        // docs: time-limit
        byte[] buffer = new byte[65_535];
        for (int attempt = 0; attempt < 3; attempt++)
        {
            await client.SendAsync(request);
            ReceivedDatagram answer = await client.ReceiveFromAsync(buffer, TimeSpan.FromMilliseconds(500));
            if (answer.Status == ReceiveStatus.TimedOut) continue;              // lost, either way: ask again
            Handle(answer.Peer, buffer.AsSpan(0, answer.Length));
            break;
        }
        // end
    }

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

    public static async Task ChannelAsync()
    {
        // docs: channel
        UdpChannelHandler? handler = null;
        await using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(9999)], ThreadCount = 1 },
            shard => handler = new UdpChannelHandler(shard));
        await foreach (UdpChannelDatagram datagram in handler!.Reader.ReadAllAsync())
        {
            using (datagram)
            {
                await HandleAsync(datagram.Peer, datagram.Payload);
                datagram.TryReply(datagram.Payload.Span);               // sent by the shard, which is woken for it
            }
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

    private static void Handle(UdpEndPoint peer, ReadOnlySpan<byte> payload) =>
        Console.WriteLine($"{peer}: {payload.Length} bytes");

    private static Task HandleAsync(UdpEndPoint peer, ReadOnlyMemory<byte> payload) =>
        Console.Out.WriteLineAsync($"{peer}: {payload.Length} bytes");

    private static int Fill(Span<byte> payload)
    {
        payload.Clear();
        return payload.Length;
    }
}
