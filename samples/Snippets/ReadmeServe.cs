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
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(9999)],
                OnFault = fault => Console.Error.WriteLine(fault.Exception),    // a handler threw; the server goes on
            },
            _ => new EchoHandler());
        TaskCompletionSource stop = new();
        Console.CancelKeyPress += (_, press) => press.Cancel = stop.TrySetResult();
        Console.WriteLine($"Echoing at {server.LocalEndPoints[0]}; Ctrl-C ends it.");
        await stop.Task;
        // end
    }
}

// docs: program
// A forged source makes two echo servers answer each other without end: see "Echo loops" in docs/measure/serve.md.
internal sealed class EchoHandler : UdpHandler
{
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            replies.TryForward(datagram, datagram.Peer);    // copies nothing, and always finds room
        }
    }
}
// end
