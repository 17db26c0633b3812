using System.Net;
using System.Net.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The waiter for systems without epoll: a thread sleeps in select on its sockets and on a wake-up socket, to which
/// <see cref="Signal"/> sends a byte over loopback.
/// <see cref="Socket.Select(System.Collections.IList, System.Collections.IList, System.Collections.IList, int)"/>
/// allocates once per sleep, not once per datagram.
/// </summary>
internal sealed class SelectWaiter : ThreadWaiter
{
    private readonly Socket[] _sockets;
    private readonly Socket _wake;
    private readonly List<Socket> _ready = [];
    private readonly byte[] _byte = new byte[1];

    public SelectWaiter(IEnumerable<Socket> sockets)
    {
        _sockets = [.. sockets];
        _wake = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
        try
        {
            // Connected to its own address, so datagrams of other sockets do not wake the thread.
            _wake.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            _wake.Connect(_wake.LocalEndPoint!);
        }
        catch
        {
            _wake.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    protected override void Close() => _wake.Dispose();

    /// <inheritdoc/>
    protected override void Wait(int timeoutMilliseconds, bool forSockets)
    {
        _ready.Clear();
        if (forSockets) _ready.AddRange(_sockets);
        _ready.Add(_wake);
        int timeoutMicroseconds = timeoutMilliseconds < 0
            ? -1
            : (int)Math.Min(int.MaxValue, timeoutMilliseconds * 1000L);
        try
        {
            Socket.Select(_ready, checkWrite: null, checkError: null, timeoutMicroseconds);
            if (_ready.Contains(_wake)) _wake.Receive(_byte);
        }
        catch (SocketException)
        {
            // One of the sockets has an error. The next receive gets the error and reports it.
        }
    }

    /// <inheritdoc/>
    protected override void Signal()
    {
        try
        {
            _wake.Send([1]);
        }
        catch (SocketException)
        {
            // The buffer is full of earlier signals, and these wake the thread too.
        }
    }
}
