using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Bench.Targets;

/// <summary>A receiver that awaits every datagram. After the first wait its loop runs on pool threads.</summary>
internal abstract class AsyncReceiver(IDisposable socket) : BenchReceiver
{
    private volatile bool _stopping;

    public override void Run()
    {
        try
        {
            ReceiveForEverAsync().GetAwaiter().GetResult();
        }
        catch (Exception e) when (_stopping && e is (SocketException or ObjectDisposedException))
        {
            // Most programs pass no cancellation token; closing the socket ends their loops, and this one.
        }
    }

    public override void Stop()
    {
        _stopping = true;
        Dispose();
    }

    /// <summary>Receives as most programs do. The exception that closing the socket causes ends the loop.</summary>
    protected abstract Task ReceiveForEverAsync();

    public override void Dispose()
    {
        socket.Dispose();
        GC.SuppressFinalize(this);
    }
}

/// <summary>A receiver on System.Net.Sockets that awaits every datagram.</summary>
internal abstract class SocketAsyncReceiver(Socket socket, IDisposable? owner = null) : AsyncReceiver(owner ?? socket)
{
    public override IPEndPoint LocalEndPoint => (IPEndPoint)socket.LocalEndPoint!;

    public override int BufferGrantedBytes => BaselineSocket.GrantedReceiveBytes(socket);

    protected Socket Socket => socket;
}

/// <summary>A sender that awaits every datagram.</summary>
internal abstract class AsyncSender(IDisposable socket) : BenchSender
{
    /// <summary>If a send has to wait, which none does over loopback, the rest of the burst runs on the pool.</summary>
    public override int Send(int count)
    {
        ValueTask<int> burst = SendAsync(count);
        return burst.IsCompletedSuccessfully ? burst.Result : burst.AsTask().GetAwaiter().GetResult();
    }

    protected abstract ValueTask<int> SendAsync(int count);

    public override void Dispose()
    {
        socket.Dispose();
        GC.SuppressFinalize(this);
    }
}

/// <summary>Socket.ReceiveFromAsync with one SocketAddress: one await each, no allocation since .NET 8.</summary>
internal sealed class AddressReceiver(Socket socket) : SocketAsyncReceiver(socket)
{
    private readonly Memory<byte> _buffer = BaselineSocket.NewReceiveBuffer();
    private readonly SocketAddress _address = new(AddressFamily.InterNetwork);
    private readonly PeerLookup _peers = new();

    protected override async Task ReceiveForEverAsync()
    {
        while (true)
        {
            int length =
                await Socket.ReceiveFromAsync(_buffer, SocketFlags.None, _address).ConfigureAwait(false);
            IPEndPoint peer = _peers.Find(_address);
            Counters.Add(1, length, BaselineSocket.Visit(peer.Port, _buffer.Span[..length]));
        }
    }
}

/// <summary>Socket.SendToAsync with one SocketAddress.</summary>
internal sealed class AddressSender(Socket socket, BenchSetup setup, IPEndPoint peer) : AsyncSender(socket)
{
    private readonly Memory<byte> _payload = GC.AllocateArray<byte>(setup.SizeBytes, pinned: true);
    private readonly SocketAddress _address = peer.Serialize();
    private ulong _sequence;

    protected override async ValueTask<int> SendAsync(int count)
    {
        int sent = 0;
        for (int i = 0; i < count; i++)
        {
            BaselineSocket.Write(_payload.Span, _sequence++);
            _ = await socket.SendToAsync(_payload, SocketFlags.None, _address).ConfigureAwait(false);
            sent++;
        }
        return sent;
    }
}

/// <summary>Socket.ReceiveFromAsync with an EndPoint, which allocates an endpoint object per datagram.</summary>
internal sealed class EndPointReceiver(Socket socket) : SocketAsyncReceiver(socket)
{
    private static readonly IPEndPoint AnyPeer = new(IPAddress.Any, 0);

    private readonly Memory<byte> _buffer = BaselineSocket.NewReceiveBuffer();

    protected override async Task ReceiveForEverAsync()
    {
        while (true)
        {
            SocketReceiveFromResult result =
                await Socket.ReceiveFromAsync(_buffer, SocketFlags.None, AnyPeer).ConfigureAwait(false);
            int port = ((IPEndPoint)result.RemoteEndPoint).Port;
            long visited = BaselineSocket.Visit(port, _buffer.Span[..result.ReceivedBytes]);
            Counters.Add(1, result.ReceivedBytes, visited);
        }
    }
}

/// <summary>Socket.SendToAsync with an EndPoint.</summary>
internal sealed class EndPointSender(Socket socket, BenchSetup setup, IPEndPoint peer) : AsyncSender(socket)
{
    private readonly Memory<byte> _payload = GC.AllocateArray<byte>(setup.SizeBytes, pinned: true);
    private ulong _sequence;

    protected override async ValueTask<int> SendAsync(int count)
    {
        int sent = 0;
        for (int i = 0; i < count; i++)
        {
            BaselineSocket.Write(_payload.Span, _sequence++);
            _ = await socket.SendToAsync(_payload, SocketFlags.None, peer).ConfigureAwait(false);
            sent++;
        }
        return sent;
    }
}

/// <summary>The async calls of UdpClient, which allocate an array and an endpoint object per datagram.</summary>
internal sealed class UdpClientReceiver(UdpClient client) : SocketAsyncReceiver(client.Client, client)
{
    protected override async Task ReceiveForEverAsync()
    {
        while (true)
        {
            UdpReceiveResult result = await client.ReceiveAsync().ConfigureAwait(false);
            long visited = BaselineSocket.Visit(result.RemoteEndPoint.Port, result.Buffer);
            Counters.Add(1, result.Buffer.Length, visited);
        }
    }
}

/// <summary>UdpClient.SendAsync with an EndPoint.</summary>
internal sealed class UdpClientSender(UdpClient client, BenchSetup setup, IPEndPoint peer) : AsyncSender(client)
{
    private readonly byte[] _payload = new byte[setup.SizeBytes];
    private ulong _sequence;

    protected override async ValueTask<int> SendAsync(int count)
    {
        int sent = 0;
        for (int i = 0; i < count; i++)
        {
            BaselineSocket.Write(_payload, _sequence++);
            _ = await client.SendAsync(_payload.AsMemory(), peer).ConfigureAwait(false);
            sent++;
        }
        return sent;
    }
}

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
