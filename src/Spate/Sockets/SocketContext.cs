using System.Net.Sockets;
using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>
/// What a socket and its backend share: the descriptor, what was agreed at Bind, counters, and whether it is closed.
/// </summary>
internal sealed class SocketContext
{
    private volatile bool _closed;
    private volatile bool _isPortUnreachable;

    public SocketContext(Socket socket, UdpSocketOptions options, UdpEndPoint remote)
    {
        Socket = socket;
        Descriptor = (int)socket.Handle;
        Options = options;
        Remote = remote;
        IsConnected = !remote.IsDefault;
        ReportsPortUnreachable = IsConnected && options.ReportPortUnreachable;
        MayQueueErrors = options.IcmpErrors;
        IsIPv6 = socket.AddressFamily == AddressFamily.InterNetworkV6;
        Events = new EventThrottle(options.TimeProvider);
        Errors = new ErrorQueue(this);
    }

    /// <summary>
    /// Used for set-up and options. On the Mmsg backend no asynchronous operation is ever started on it, since the
    /// runtime then makes the descriptor non-blocking for life.
    /// </summary>
    public Socket Socket { get; }

    public UdpSocketOptions Options { get; }

    /// <summary>The peer of a connected socket, otherwise default.</summary>
    public UdpEndPoint Remote { get; }

    public bool IsConnected { get; }

    public bool IsIPv6 { get; }

    /// <summary>
    /// Whether the error queue may hold something: IcmpErrors fills it, an option set by its numbers may, and so may
    /// what an adopted socket was told before.
    /// </summary>
    public bool MayQueueErrors { get; set; }

    /// <summary>Whether ICMP errors reach the socket's calls at all (udp.7).</summary>
    public bool HearsOfIcmp => IsConnected || MayQueueErrors;

    /// <summary>Whether receives are to throw that nobody listens at the peer's port.</summary>
    public bool ReportsPortUnreachable { get; }

    public SocketCounters Counters { get; } = new();

    /// <summary>The queue of errors; another one for tests.</summary>
    public ErrorQueue Errors { get; set; }

    /// <summary>Asks the system what it has dropped; another answer for tests.</summary>
    public Func<Socket, long> ReadKernelDrops { get; init; } = SocketSetup.ReadKernelDrops;

    public EventThrottle Events { get; }

    /// <summary>Has receives that are awaited look for an error; only where receives report some.</summary>
    public Action? TryReceivesSoon { get; set; }

    public bool IsClosed => _closed;

    /// <summary>
    /// Whether an ICMP message has told that nobody listens at the peer's port, and the next receive is to throw it.
    /// </summary>
    public bool IsPortUnreachable => _isPortUnreachable;

    /// <summary>
    /// Set by a receive that may not wait and met a shortage without an event: awaited calls then ask again a little
    /// later.
    /// </summary>
    public bool RetryReceiveLater { get; set; }

    /// <summary>The same for a send that met ENOBUFS.</summary>
    public bool RetrySendLater { get; set; }

    public void MarkClosed() => _closed = true;

    /// <summary>
    /// Notes an ICMP error that any call of the socket has met: the system tells it once, to whichever call comes next.
    /// </summary>
    public void NoteIcmpError(SocketError error)
    {
        // Windows says ConnectionReset (SIO_UDP_CONNRESET).
        if (ReportsPortUnreachable && error is SocketError.ConnectionRefused or SocketError.ConnectionReset)
        {
            // A full barrier: a receive that begins to wait either sees this, or is seen by who looks for it next.
            Interlocked.Exchange(ref _isPortUnreachable, true);
        }
    }

    /// <summary>
    /// The same by a send. The system has woken the receives that wait for an error that they will not find there.
    /// Not for receives, which may hold locks of their receiver.
    /// </summary>
    public void NoteIcmpErrorOfSend(SocketError error)
    {
        NoteIcmpError(error);
        if (_isPortUnreachable) TryReceivesSoon?.Invoke();
    }

    /// <summary>Throws what was noted (<see cref="IsPortUnreachable"/>): of several receives one throws it.</summary>
    public void ThrowIfPortUnreachable()
    {
        if (!_isPortUnreachable || !Interlocked.Exchange(ref _isPortUnreachable, false)) return;
        throw new SocketException(
            (int)SocketError.ConnectionRefused,
            $"Nobody listens at {Remote}: start the program there, or check the address and the port.");
    }

    /// <summary>
    /// Wakes every call that waits for the socket. close(2) does not wake a blocked recvmmsg; shutdown does, also on an
    /// unconnected socket, where it answers ENOTCONN.
    /// </summary>
    public void Shutdown()
    {
        if (OperatingSystem.IsLinux())
        {
            SysSocket.shutdown(Descriptor, SysSocket.SHUT_RDWR);
            return;
        }

        try
        {
            Socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // NotConnected: waits of Portable end with their slice.
        }
    }

    /// <summary>Sleeps, in slices, so that Close need not wait for the end of a long pause.</summary>
    public void Pause(int milliseconds)
    {
        const int sliceMilliseconds = 50;
        for (int left = milliseconds; left > 0 && !_closed; left -= sliceMilliseconds)
            Thread.Sleep(Math.Min(left, sliceMilliseconds));
    }

    /// <summary>The descriptor. Valid while a call is inside the socket's gate, which Close waits for.</summary>
    public int Descriptor { get; }
}
