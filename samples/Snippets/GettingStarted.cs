using System.Net;
using System.Net.Sockets;
using Spate;

namespace Snippets;

/// <summary>The code of docs/start/getting-started.md.</summary>
internal static class GettingStarted
{
    public static void Receive()
    {
        // docs: receive
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(9999));
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        while (socket.Receive(batch) == ReceiveStatus.Received)     // one call, all queued datagrams
        {
            Console.WriteLine($"a batch of {batch.Count}");
            foreach (Datagram datagram in batch)                    // no copy: valid until the next Receive
            {
                Console.WriteLine($"{datagram.Peer}: {datagram.Payload.Length} bytes");
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
        for (int number = 0; number < 100; number++)
        {
            if (!batch.TryReserve(peer, 1200, out Span<byte> payload)) break;   // the batch is full
            payload.Fill((byte)number);                                         // in place: nothing is copied
        }

        SendResult result = socket.Send(batch);
        Console.WriteLine($"{result.Sent} sent, {result.Refused} refused: {result.FirstError}");
        // end
    }

    public static void Answer()
    {
        // docs: answer
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(9999));
        using ReceiveBatch requests = socket.CreateReceiveBatch();
        using SendBatch replies = socket.CreateSendBatch();
        while (socket.Receive(requests) == ReceiveStatus.Received)
        {
            foreach (Datagram request in requests)
            {
                if (!replies.TryForward(request, request.Peer))     // no copy: the buffer of the receive is sent
                {
                    socket.Send(replies);
                    replies.TryForward(request, request.Peer);
                }
            }

            socket.Send(replies);
        }
        // end
    }

    public static void Count(UdpSocket socket)
    {
        // docs: count
        UdpCounters counters = socket.GetCounters();
        Console.WriteLine($"{counters.DatagramsReceived} received in {counters.ReceiveCalls} calls, "
            + $"{counters.DatagramsSent} sent in {counters.SendCalls} calls, {counters.KernelDrops ?? 0} dropped");
        // end
    }

    public static async Task AskAsync()
    {
        // docs: ask
        using UdpSocket client = UdpSocket.Connect(UdpEndPoint.Loopback(9999));
        byte[] request = "hello"u8.ToArray();
        byte[] buffer = new byte[65_535];
        for (int attempt = 0; attempt < 3; attempt++)
        {
            await client.SendAsync(request);
            ReceivedDatagram answer = await client.ReceiveFromAsync(buffer, TimeSpan.FromMilliseconds(500));
            if (answer.Status == ReceiveStatus.TimedOut) continue;      // lost on one of the two ways: ask again
            Console.WriteLine($"{answer.Length} bytes from {answer.Peer}");
            break;
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

    public static async Task ResolveAsync()
    {
        // docs: resolve
        IPAddress[] addresses = await Dns.GetHostAddressesAsync("localhost", AddressFamily.InterNetwork);
        using UdpSocket client = UdpSocket.Connect(new UdpEndPoint(addresses[0], 9999));
        // end
    }

    private static Task HandleAsync(UdpEndPoint peer, ReadOnlyMemory<byte> payload) =>
        Console.Out.WriteLineAsync($"{peer}: {payload.Length} bytes");
}
