using System.Net;
using System.Net.Sockets;
using Spate.Cli.Bench.Baselines;

namespace Spate.Cli.Bench.Servers;

/// <summary>Socket.ReceiveFrom and SendTo with a SocketAddress, on a thread that blocks.</summary>
internal sealed class BlockingSocketServer : BenchServer
{
    private static readonly TimeSpan MaxEnding = TimeSpan.FromSeconds(3);

    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly SocketAddress? _destination;
    private readonly BenchThread _thread;
    private volatile bool _stopping;

    /// <param name="destination">Receives every datagram; null sends each one back to its peer.</param>
    public BlockingSocketServer(string name, int? cpu, IPEndPoint? destination = null)
    {
        _destination = destination?.Serialize();
        _thread = new BenchThread(name, cpu, Run);
        _thread.Start();
    }

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override long? CpuNanoseconds => _thread.CpuNanosecondsSoFar;

    public override void Dispose()
    {
        // Not every system ends a blocked receive when another thread closes the socket; a datagram ends it everywhere.
        _stopping = true;
        _socket.SendTo([], LocalEndPoint);
        _thread.Join(MaxEnding);
        _socket.Dispose();
    }

    private void Run()
    {
        byte[] buffer = BaselineSocket.NewReceiveBuffer();
        var peer = new SocketAddress(AddressFamily.InterNetwork);
        while (!_stopping)
        {
            int length = _socket.ReceiveFrom(buffer, SocketFlags.None, peer);
            if (!_stopping) _socket.SendTo(buffer.AsSpan(0, length), SocketFlags.None, _destination ?? peer);
        }
    }
}
