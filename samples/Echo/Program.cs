// Sends every datagram back to its peer, a batch at a time: dotnet run -c Release --project samples/Echo [PORT]
// It listens on loopback only: an open echo server can be used to reflect traffic at third parties.
// A datagram with a forged source can also make two echo servers answer each other without end. Before you open a port,
// lower the time to live of each answer and bound the answers per peer: docs/measure/serve.md, "Echo loops".
using System.Runtime.InteropServices;
using Spate;

int port = args.Length > 0 ? int.Parse(args[0]) : 9999;
using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(port));
using ReceiveBatch requests = socket.CreateReceiveBatch();
using SendBatch replies = socket.CreateSendBatch();

using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
Console.WriteLine($"Echoing on {socket.LocalEndPoint}; Ctrl-C ends it.");

while (socket.Receive(requests) == ReceiveStatus.Received)
{
    foreach (Datagram datagram in requests)
    {
        // Forwarding copies nothing, so the replies must be sent before the next Receive.
        if (replies.TryForward(datagram, datagram.Peer)) continue;
        socket.Send(replies);
        replies.TryForward(datagram, datagram.Peer);
    }

    socket.Send(replies);
}

UdpCounters counters = socket.GetCounters();
Console.WriteLine($"{counters.DatagramsReceived} received, {counters.DatagramsSent} sent");

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    socket.Dispose();       // wakes the Receive above, which then returns Closed
}
