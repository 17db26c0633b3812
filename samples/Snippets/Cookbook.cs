using Spate;
using Spate.Serving;

namespace Snippets;

/// <summary>The code of docs/cookbook.md.</summary>
internal static class Cookbook
{
    public static void SendToOnePeer(UdpEndPoint peer, int size)
    {
        // docs: one-peer
        using UdpSocket socket = UdpSocket.Connect(peer);                       // the kernel remembers the route
        using SendBatch batch = socket.CreateSendBatch();                       // 256 datagrams, or 128 KiB
        while (batch.TryReserve(size, out Span<byte> payload)) Fill(payload);   // one size: full GSO messages
        SendResult result = socket.Send(batch);
        // end
        Console.WriteLine(result.Sent);
    }

    public static UdpServer ServeSinglePeers(Func<UdpShard, UdpHandler> handlerFactory)
    {
        // docs: hundred-peers
        UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(9999)],
                Design = UdpServerDesign.Sharded,                               // the default
                ThreadCount = 2,                                                // default: one per CPU
                Socket = new UdpSocketOptions { CoalescedReceive = false },     // only if datagrams come one by one
            },
            handlerFactory);
        // end
        return server;
    }

    public static SessionTableOptions SizeSessions()
    {
        // docs: sessions
        var options = new SessionTableOptions
        {
            MaxSessions = 150_000,                      // of one shard; memory is reserved for all of them
            IdleTimeout = TimeSpan.FromMinutes(2),      // the default
            NewSessionsPerSecondPerPrefix = 1000,       // default 20: too few if many peers share a network
            NewSessionsBurstPerPrefix = 1000,           // default 5
        };
        // end
        return options;
    }

    public static ReceiveBatch MakeLongSlots(UdpEndPoint localEndPoint)
    {
        // docs: long-slots
        UdpSocket socket = UdpSocket.Bind(localEndPoint, new UdpSocketOptions { CoalescedReceive = false });
        ReceiveBatch batch = socket.CreateReceiveBatch(
            new ReceiveBatchOptions { SlotCount = 64, SlotBytes = 8972 });      // 561 KiB, and no datagram is copied
        // end
        return batch;
    }

    private static void Fill(Span<byte> payload) => payload.Fill(1);
}
