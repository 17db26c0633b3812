using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Bench.Baselines;

namespace Spate.Measurement.Bench.Relay;

/// <summary>Socket.ReceiveFrom and SendTo with a SocketAddress, on a thread that blocks.</summary>
internal sealed class SocketRelay : RelayUnderTest
{
    private readonly BlockingSocketThread _thread;

    public SocketRelay(IPEndPoint destination, int? cpu)
    {
        SocketAddress address = destination.Serialize();
        _thread = new BlockingSocketThread(
            "bench relay", cpu, (socket, payload, _) => socket.SendTo(payload, SocketFlags.None, address));
    }

    public override IPEndPoint LocalEndPoint => _thread.LocalEndPoint;

    public override long? CpuNanoseconds => _thread.CpuNanoseconds;

    public override void Dispose() => _thread.Dispose();
}

/// <summary>The same with ReceiveFromAsync and SendToAsync, continued on the pool.</summary>
internal sealed class SocketAsyncRelay : RelayUnderTest
{
    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly SocketAddress _destination;
    private readonly Task _loop;

    public SocketAsyncRelay(IPEndPoint destination)
    {
        _destination = destination.Serialize();
        _loop = Task.Run(ForwardForEverAsync);
    }

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override void Dispose()
    {
        _socket.Dispose();
        _loop.GetAwaiter().GetResult();
    }

    private async Task ForwardForEverAsync()
    {
        Memory<byte> buffer = BaselineSocket.NewReceiveBuffer();
        var address = new SocketAddress(AddressFamily.InterNetwork);
        try
        {
            while (true)
            {
                int length = await _socket.ReceiveFromAsync(buffer, SocketFlags.None, address).ConfigureAwait(false);
                await _socket.SendToAsync(buffer[..length], SocketFlags.None, _destination).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // Closing the socket is how a loop without a token, as people write it, is ended.
        }
    }
}
