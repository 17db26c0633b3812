// Sends numbered datagrams to loopback as fast as it can:
// dotnet run -c Release --project samples/Flood [PORT [COUNT]]
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Spate;

const int PayloadBytes = 1380;
int port = args.Length > 0 ? int.Parse(args[0]) : 9999;
long count = args.Length > 1 ? long.Parse(args[1]) : 1_000_000;

bool isStopped = false;
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
using UdpSocket socket = UdpSocket.Connect(UdpEndPoint.Loopback(port));
using SendBatch batch = socket.CreateSendBatch();
long next = 0, sent = 0, refused = 0;
long start = Stopwatch.GetTimestamp();

while (next < count && !Volatile.Read(ref isStopped))
{
    while (next < count && batch.TryReserve(PayloadBytes, out Span<byte> payload))
    {
        BinaryPrimitives.WriteInt64LittleEndian(payload, next++);
    }

    SendResult result = socket.Send(batch);   // waits while the socket's buffer is full
    sent += result.Sent;
    refused += result.Refused;
}

double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
Console.WriteLine($"{sent} sent, {refused} refused, {sent / seconds:N0} datagrams/s");

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    Volatile.Write(ref isStopped, true);
}
