// A receiver as users write it, which has just started. benchmarks/cold-start.sh builds it in several ways, sends it
// datagrams and compares: ColdStart PORT [SECONDS]
// A line for each second from the first datagram on: received, dropped by the kernel, methods compiled.
using System.Diagnostics;
using System.Runtime;
using Spate;

int port = int.Parse(args[0]);
int seconds = args.Length > 1 ? int.Parse(args[1]) : 3;

using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(port));
using ReceiveBatch batch = socket.CreateReceiveBatch();
Console.WriteLine($"ready after {(DateTime.Now - Process.GetCurrentProcess().StartTime).TotalMilliseconds:0} ms");
long start = 0, received = 0, bytes = 0, lastReceived = 0, lastDropped = 0, lastCompiled = 0;
int second = 0;
while (second < seconds && socket.Receive(batch) == ReceiveStatus.Received)
{
    if (start == 0) start = Stopwatch.GetTimestamp();
    foreach (Datagram datagram in batch)
    {
        received++;
        bytes += datagram.Payload.Length;
    }

    if (Stopwatch.GetElapsedTime(start).TotalSeconds < second + 1) continue;

    second++;
    long dropped = socket.GetCounters().KernelDrops;
    long compiled = JitInfo.GetCompiledMethodCount();
    Console.WriteLine($"{second} {received - lastReceived} {dropped - lastDropped} {compiled - lastCompiled}");
    (lastReceived, lastDropped, lastCompiled) = (received, dropped, compiled);
}

Console.WriteLine($"{received} datagrams, {bytes} bytes");
