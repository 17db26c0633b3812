using System.Runtime.InteropServices;
using Spate;
using Spate.Serving;

// Sends every datagram back to its peer, on all CPUs: dotnet run -c Release --project samples/EchoServer [PORT]
// It listens on loopback only: an open echo server can be used to reflect traffic at third parties.
// A datagram with a forged source can also make two echo servers answer each other without end. Before you open a port,
// lower the time to live of each answer and bound the answers per peer: docs/measure/serve.md, "Echo loops".
// samples/SocketsBaseline is the same program on System.Net.Sockets, call by call.

int port = args.Length > 0 ? int.Parse(args[0]) : 9999;
TaskCompletionSource stopped = new();
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);

// docs: open
await using UdpServer server = UdpServer.Start(
    new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(port)] }, _ => new EchoHandler());
Console.WriteLine($"Echoing on {server.LocalEndPoints[0]} with {server.ThreadCount} threads; Ctrl-C ends it.");
// end

// docs: run
await Task.WhenAny(stopped.Task, server.Completion);
await server.StopAsync(TimeSpan.FromSeconds(2));   // handles the queued datagrams

foreach (UdpThreadStatistics thread in server.GetStatistics().Threads)
    Console.WriteLine($"thread {thread.ShardIndex}: {thread.Datagrams} handled, {thread.RepliesSent} answered");
// end

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    stopped.TrySetResult();
}

// docs: handler
internal sealed class EchoHandler : UdpHandler
{
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            // Forwarding copies nothing and always finds room; the replies leave when this returns.
            replies.TryForward(datagram, datagram.Peer);
        }
    }
}
// end
