// docs: program
using Spate;
using Spate.Serving;
// end

namespace Snippets.Readme;

internal static class ReadmeEcho
{
    public static async Task RunAsync()
    {
        // docs: program
        await using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(9999)] }, _ => new EchoHandler());
        await server.Completion;
        // end
    }
}

// docs: program
internal sealed class EchoHandler : UdpHandler
{
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch) replies.TryForward(datagram, datagram.Peer);
    }
}
// end
