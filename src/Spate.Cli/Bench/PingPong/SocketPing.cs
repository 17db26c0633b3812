using System.Net;
using System.Net.Sockets;
using Spate.Cli.Bench.Baselines;

namespace Spate.Cli.Bench.PingPong;

/// <summary>A client on Socket.ReceiveFrom and SendTo with a SocketAddress, on a thread that blocks.</summary>
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
