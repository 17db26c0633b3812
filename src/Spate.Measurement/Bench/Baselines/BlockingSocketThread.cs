using System.Net;
using System.Net.Sockets;

namespace Spate.Measurement.Bench.Baselines;

/// <summary>Socket.ReceiveFrom with a SocketAddress on a thread that blocks, for what answers or forwards.</summary>
internal sealed class BlockingSocketThread : IDisposable
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(3);

    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly Handler _handle;
    private readonly BenchThread _thread;
    private volatile bool _stopping;

    /// <param name="name">The thread's name.</param>
    /// <param name="cpu">Its CPU; null for any.</param>
    /// <param name="handle">Called for every datagram.</param>
    public BlockingSocketThread(string name, int? cpu, Handler handle)
    {
        _handle = handle;
        _thread = new BenchThread(name, cpu, Run);
        _thread.Start();
    }

    /// <summary>Does something about a datagram.</summary>
    /// <param name="socket">What it came by.</param>
    /// <param name="payload">Its payload.</param>
    /// <param name="peer">Who sent it.</param>
    public delegate void Handler(Socket socket, ReadOnlySpan<byte> payload, SocketAddress peer);

    public IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public long? CpuNanoseconds => _thread.CpuNanosecondsSoFar;

    public void Dispose()
    {
        // A blocked receive does not end when its socket is closed under it on every system; a datagram ends it.
        _stopping = true;
        _socket.SendTo([], LocalEndPoint);
        _thread.Join(Grace);
        _socket.Dispose();
    }

    private void Run()
    {
        byte[] buffer = BaselineSocket.NewReceiveBuffer();
        var peer = new SocketAddress(AddressFamily.InterNetwork);
        while (!_stopping)
        {
            int length = _socket.ReceiveFrom(buffer, SocketFlags.None, peer);
            if (!_stopping) _handle(_socket, buffer.AsSpan(0, length), peer);
        }
    }
}
