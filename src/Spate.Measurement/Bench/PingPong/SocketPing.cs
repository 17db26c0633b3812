using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Bench.Baselines;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>Socket.ReceiveFrom and SendTo with a SocketAddress, on a thread that blocks.</summary>
internal sealed class SocketPong : PongServer
{
    private static readonly TimeSpan _grace = TimeSpan.FromSeconds(3);

    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly BenchThread _thread;
    private volatile bool _stopping;

    public SocketPong(int? cpu)
    {
        _thread = new BenchThread("bench pong", cpu, Run);
        _thread.Start();
    }

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override long? CpuNanoseconds => _thread.CpuNanosecondsSoFar;

    public override void Dispose()
    {
        // A blocked receive does not end when its socket is closed under it on every system; a datagram ends it.
        _stopping = true;
        _socket.SendTo([], LocalEndPoint);
        _thread.Join(_grace);
        _socket.Dispose();
    }

    private void Run()
    {
        byte[] buffer = BaselineSocket.NewReceiveBuffer();
        var address = new SocketAddress(AddressFamily.InterNetwork);
        while (!_stopping)
        {
            int length = _socket.ReceiveFrom(buffer, SocketFlags.None, address);
            if (length > 0) _socket.SendTo(buffer.AsSpan(0, length), SocketFlags.None, address);
        }
    }
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
