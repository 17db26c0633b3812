using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Bench.Baselines;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>Socket.ReceiveFrom and SendTo with a SocketAddress, on a thread that blocks.</summary>
internal sealed class SocketPong(int? cpu) : PongServer
{
    private readonly BlockingSocketThread _thread = new(
        "bench pong", cpu, static (socket, payload, peer) => socket.SendTo(payload, SocketFlags.None, peer));

    public override IPEndPoint LocalEndPoint => _thread.LocalEndPoint;

    public override long? CpuNanoseconds => _thread.CpuNanoseconds;

    public override void Dispose() => _thread.Dispose();
}

/// <summary>The asking end of the same.</summary>
internal sealed class SocketPing(int sizeBytes, IPEndPoint server) : ThreadPingClient(sizeBytes)
{
    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly SocketAddress _server = server.Serialize();
    private readonly SocketAddress _peer = new(AddressFamily.InterNetwork);

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override void Dispose() => _socket.Dispose();

    protected override void Send(byte[] payload) => _socket.SendTo(payload, SocketFlags.None, _server);

    protected override int Receive(byte[] buffer) => _socket.ReceiveFrom(buffer, SocketFlags.None, _peer);
}
