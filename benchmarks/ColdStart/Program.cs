// A receiver as users write it, which has just started. benchmarks/cold-start.sh builds it in several ways, lets spate
// send to it, and compares: ColdStart PORT [SECONDS]
// A line for each second from the first datagram on: received, lost, methods compiled.
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime;
using Spate;

// The number of a datagram of spate send: docs/measure/protocol.md.
const int NumberOffset = 16;

int port = int.Parse(args[0]);
int seconds = args.Length > 1 ? int.Parse(args[1]) : 3;

using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(port));
using ReceiveBatch batch = socket.CreateReceiveBatch();
Console.WriteLine($"ready after {(DateTime.Now - Process.GetCurrentProcess().StartTime).TotalMilliseconds:0} ms");
long start = 0, received = 0, sent = 0, bytes = 0, lastReceived = 0, lastSent = 0, lastCompiled = 0;
int second = 0;
while (second < seconds && socket.Receive(batch) == ReceiveStatus.Received)
{
    if (start == 0) start = Stopwatch.GetTimestamp();
    foreach (Datagram datagram in batch)
    {
        received++;
        bytes += datagram.Payload.Length;
        sent = BinaryPrimitives.ReadInt64BigEndian(datagram.Payload[NumberOffset..]) + 1;
    }

    if (Stopwatch.GetElapsedTime(start).TotalSeconds < second + 1) continue;

    second++;
    long compiled = JitInfo.GetCompiledMethodCount();
    long lost = sent - lastSent - (received - lastReceived);
    Console.WriteLine($"{second} {received - lastReceived} {lost} {compiled - lastCompiled}");
    (lastReceived, lastSent, lastCompiled) = (received, sent, compiled);
}

Console.WriteLine($"{received} datagrams, {bytes} bytes");
