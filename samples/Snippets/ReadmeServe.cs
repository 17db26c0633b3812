// docs: program
using Spate;
using Spate.Serving;
// end

namespace Snippets;

internal static class ReadmeServe
{
    public static async Task RunAsync()
    {
        // docs: program
        await using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(9999)] }, shard => new EchoHandler(shard));
        Console.WriteLine($"Echoing at {server.LocalEndPoints[0]}; Enter ends it.");
        Console.ReadLine();
        // end
    }
}

// docs: program
// A forged source makes two echo servers answer each other without end: docs/serving.md, "Echo loops", says what to do.
internal sealed class EchoHandler(UdpShard shard) : UdpHandler
{
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            if (replies.TryForward(datagram, datagram.Peer)) continue;  // nothing is copied
            shard.Flush(replies);                                       // the batch was full: send it, and go on
            replies.TryForward(datagram, datagram.Peer);
        }
    }
}
// end
