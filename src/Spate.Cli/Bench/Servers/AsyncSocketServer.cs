using System.Net;
using System.Net.Sockets;
using Spate.Cli.Bench.Baselines;

namespace Spate.Cli.Bench.Servers;

/// <summary>Socket.ReceiveFromAsync and SendToAsync with a SocketAddress, continued on pool threads.</summary>
internal sealed class AsyncSocketServer : BenchServer
{
    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly SocketAddress? _destination;
    private readonly Task _loop;

    /// <param name="destination">Receives every datagram; null sends each one back to its peer.</param>
    public AsyncSocketServer(IPEndPoint? destination = null)
    {
        _destination = destination?.Serialize();
        _loop = Task.Run(SendOnForEverAsync);
    }

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override void Dispose()
    {
        _socket.Dispose();
        _loop.GetAwaiter().GetResult();
    }

    private async Task SendOnForEverAsync()
    {
        Memory<byte> buffer = BaselineSocket.NewReceiveBuffer();
        var peer = new SocketAddress(AddressFamily.InterNetwork);
        try
        {
            while (true)
            {
                int length = await _socket.ReceiveFromAsync(buffer, SocketFlags.None, peer).ConfigureAwait(false);
                await _socket.SendToAsync(buffer[..length], SocketFlags.None, _destination ?? peer)
                    .ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // Most programs pass no cancellation token; closing the socket ends their loops, and this one.
        }
    }
}
