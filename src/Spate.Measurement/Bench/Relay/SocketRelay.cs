using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Bench.Baselines;

namespace Spate.Measurement.Bench.Relay;

/// <summary>Socket.ReceiveFrom and SendTo with a SocketAddress, on a thread that blocks.</summary>
internal sealed class SocketRelay : RelayUnderTest
{
    private static readonly TimeSpan _grace = TimeSpan.FromSeconds(3);

    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly SocketAddress _destination;
    private readonly BenchThread _thread;
    private volatile bool _stopping;

    public SocketRelay(IPEndPoint destination, int? cpu)
    {
        _destination = destination.Serialize();
        _thread = new BenchThread("bench relay", cpu, Run);
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
            if (!_stopping) _socket.SendTo(buffer.AsSpan(0, length), SocketFlags.None, _destination);
        }
    }
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
