using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Bench.Baselines;

namespace Spate.Cli.Bench.PingPong;

/// <summary>A client on Socket.ReceiveFromAsync and SendToAsync, continued on pool threads.</summary>
internal sealed class SocketAsyncPing(int sizeBytes, IPEndPoint server) : PingClient
{
    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly SocketAddress _server = server.Serialize();

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override void Run(PingLog log) => Task.Run(() => RunAsync(log)).GetAwaiter().GetResult();

    public override void Dispose() => _socket.Dispose();

    private async Task RunAsync(PingLog log)
    {
        Memory<byte> payload = GC.AllocateArray<byte>(sizeBytes, pinned: true);
        Memory<byte> buffer = BaselineSocket.NewReceiveBuffer();
        var address = new SocketAddress(AddressFamily.InterNetwork);
        while (log.TryNext(out ulong sequence))
        {
            BinaryPrimitives.WriteUInt64LittleEndian(payload.Span, sequence);
            long start = Stopwatch.GetTimestamp();
            await _socket.SendToAsync(payload, SocketFlags.None, _server).ConfigureAwait(false);
            int length;
            do
            {
                length = await _socket.ReceiveFromAsync(buffer, SocketFlags.None, address).ConfigureAwait(false);
            }
            while (length > 0 && !IsAnswer(buffer.Span[..length], sequence));
            if (length > 0) log.Add(Stopwatch.GetTimestamp() - start);
            else log.AddLost();
        }
    }
}
