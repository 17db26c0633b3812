using System.Buffers.Binary;
using Spate;
using Spate.Serving;

namespace Snippets;

/// <summary>The code of docs/build/servers.md that is not a handler.</summary>
internal static class Servers
{
    public static UdpServer Start()
    {
        // docs: start
        UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Any(9999)],
                Design = UdpServerDesign.Sharded,                       // the default
                ThreadCount = 4,                                        // default: one per CPU of the process
                TickInterval = TimeSpan.FromMilliseconds(20),           // default: no ticks
                OnFault = fault => Console.Error.WriteLine(
                    $"shard {fault.ShardIndex}: {fault.Count} times {fault.Exception.Message}"),
                Socket = new UdpSocketOptions { ReceiveBufferBytes = 16 << 20 },
            },
            shard => new ClockHandler(shard));
        // end
        return server;
    }

    public static void Enqueue(UdpServer server, UdpEndPoint peer)
    {
        // docs: enqueue
        UdpShard shard = server.Shards[0];                              // any thread may enqueue, at any time
        bool isTaken = shard.TryEnqueue("news"u8, peer);                // false: ended, or its queue is full
        // end
        Console.WriteLine(isTaken);
    }

    public static async Task ChannelAsync(CancellationToken token)
    {
        // docs: channel
        var handlers = new List<UdpChannelHandler>();
        await using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(9999)], ThreadCount = 2 },
            shard =>
            {
                var handler = new UdpChannelHandler(shard, new UdpChannelHandlerOptions { Capacity = 1024 });
                lock (handlers) handlers.Add(handler);                  // made on the shards' threads
                return handler;
            });
        await Task.WhenAll(handlers.Select(ReadAsync));

        async Task ReadAsync(UdpChannelHandler handler)
        {
            await foreach (UdpChannelDatagram datagram in handler.Reader.ReadAllAsync(token))
            {
                using (datagram)
                {
                    byte[] answer = await LookUpAsync(datagram.Payload); // a slow call of your own
                    datagram.TryReply(answer);
                }
            }
        }
        // end
    }

    public static async Task ResizeAsync(UdpServer server)
    {
        // docs: resize
        await server.SetThreadCountAsync(8);                            // the new shards make handlers of their own
        await server.SetThreadCountAsync(2, TimeSpan.FromSeconds(5));   // the highest indexes work off their queue
        // end
    }

    public static async Task StopAsync(UdpServer server)
    {
        // docs: stop
        UdpServerStatistics end = await server.StopAsync(TimeSpan.FromSeconds(5));
        Console.WriteLine($"{end.Handled} handled, {end.Unhandled} still queued, {end.StuckShards.Count} stuck");
        // end
    }

    public static void Show(UdpServer server)
    {
        // docs: statistics
        UdpServerStatistics now = server.GetStatistics();
        UdpCounters sockets = now.Sockets;
        Console.WriteLine($"{now.Handled} handled; {sockets.KernelDrops ?? 0} dropped ({sockets.KernelDropUnit})");
        foreach (UdpThreadStatistics thread in now.Threads)
        {
            Console.WriteLine($"shard {thread.ShardIndex}: {thread.MeanPerCall:0.0} per call, {thread.Sleeps} sleeps, "
                + $"{thread.RepliesSent} replies, {thread.RepliesDropped} dropped, {thread.HandlerFaults} faults");
        }
        // end
    }

    private static Task<byte[]> LookUpAsync(ReadOnlyMemory<byte> name) => Task.FromResult(name.ToArray());
}

// docs: clock
/// <summary>Answers each datagram with the time, and sends a good-bye to the last peer.</summary>
internal sealed class ClockHandler(UdpShard shard) : UdpHandler
{
    private UdpEndPoint _last;

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram request in batch)
        {
            if (!replies.TryReserveReply(request, sizeof(long), out Span<byte> answer))
            {
                shard.Flush(replies);                                   // the batch was full: send it
                if (!replies.TryReserveReply(request, sizeof(long), out answer)) continue;
            }

            BinaryPrimitives.WriteInt64LittleEndian(answer, TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds());
            _last = request.Peer;
        }
    }

    public override void OnTick(TimeSpan elapsed, SendBatch replies)
    {
        if (!_last.IsDefault) replies.TryAdd("tick"u8, _last);
    }

    public override void OnStop(SendBatch replies)
    {
        if (!_last.IsDefault) replies.TryAdd("bye"u8, _last);
    }
}
// end
