using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

// The program of samples/EchoServer on System.Net.Sockets, for porting: each comment names the replacement of a call.
// docs/start/from-socket.md ports this program step by step.
// dotnet run -c Release --project samples/SocketsBaseline [PORT]
// A datagram with a forged source can make two echo servers answer each other without end:
// docs/measure/serve.md, "Echo loops".

int port = args.Length > 0 ? int.Parse(args[0]) : 9999;
using CancellationTokenSource stopped = new();
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);

// docs: open
// Socket and Bind: UdpServer.Start with LocalEndPoints. It opens a socket for each thread (SO_REUSEPORT) if the
// system can spread peers over them. ReceiveBufferSize: UdpSocketOptions.ReceiveBufferBytes, large by default.
using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
socket.ReceiveBufferSize = 4 << 20;
socket.Bind(new IPEndPoint(IPAddress.Loopback, port));

// LocalEndPoint: UdpServer.LocalEndPoints.
int workers = Environment.ProcessorCount;
Console.WriteLine($"Echoing on {socket.LocalEndPoint} with {workers} loops; Ctrl-C ends it.");
// end

// docs: run
// One loop per CPU: UdpServerOptions.ThreadCount. A thread of the server keeps its peers; these loops share them.
long[] answered = await Task.WhenAll(Enumerable.Range(0, workers).Select(_ => EchoAsync()));

// Cancelling drops the datagrams that the socket has queued: UdpServer.StopAsync handles them first. A Socket counts
// nothing: UdpServer.GetStatistics has each thread's datagrams, replies and drops, and those of the kernel.
Console.WriteLine($"{answered.Sum()} answered");
// end

// docs: loop
async Task<long> EchoAsync()
{
    // A buffer and an address that are used again: a slot of ReceiveBatch, with Datagram.Payload and Datagram.Peer.
    // A Socket needs room for the longest datagram, and cuts off or throws if the room is too small: IsTruncated.
    byte[] buffer = GC.AllocateUninitializedArray<byte>(65_527, pinned: true);
    SocketAddress peer = new(AddressFamily.InterNetwork);
    long count = 0;
    while (true)
    {
        try
        {
            // ReceiveFrom, a call per datagram: UdpHandler.OnDatagrams, called with all queued datagrams.
            int length = await socket.ReceiveFromAsync(buffer, SocketFlags.None, peer, stopped.Token);

            // SendTo, a call per datagram: SendBatch.TryForward, sent together when OnDatagrams returns. This call
            // waits for room in the send buffer; UdpServerOptions.ReplyTimeout bounds that wait.
            await socket.SendToAsync(buffer.AsMemory(0, length), SocketFlags.None, peer, stopped.Token);
            count++;
        }
        catch (OperationCanceledException)
        {
            return count;
        }
        catch (SocketException)
        {
            // An ICMP error of an earlier send, or a peer that cannot be reached, ends no loop. With Spate these are
            // counters (UdpCounters.DatagramsRefused and IcmpErrors), and nothing is thrown for a datagram.
        }
    }
}
// end

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    stopped.Cancel();
}
