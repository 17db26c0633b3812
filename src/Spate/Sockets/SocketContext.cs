using System.Net.Sockets;
using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>
/// The state that a socket and its backend share: the descriptor, the settings made at Bind, counters, and whether the
/// socket is closed.
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
    /// Used for set-up and options. On the Mmsg backend no asynchronous operation is ever started on this socket, since
    /// the runtime would then make the descriptor non-blocking permanently.
    /// </summary>
    public Socket Socket { get; }

    public UdpSocketOptions Options { get; }

    /// <summary>The peer of a connected socket, otherwise default.</summary>
    public UdpEndPoint Remote { get; }

    public bool IsConnected { get; }

    public bool IsIPv6 { get; }

    /// <summary>
    /// Whether the error queue may contain something: IcmpErrors fills it. An option set by its numbers may fill it
    /// too, and so may the options that an adopted socket already had.
    /// </summary>
    public bool MayQueueErrors { get; set; }

    /// <summary>Whether ICMP errors reach the socket's calls at all (udp.7).</summary>
    public bool HearsOfIcmp => IsConnected || MayQueueErrors;

    /// <summary>Whether receives throw if nobody listens at the peer's port.</summary>
    public bool ReportsPortUnreachable { get; }

    public SocketCounters Counters { get; } = new();

    /// <summary>The error queue; tests set another.</summary>
    public ErrorQueue Errors { get; set; }

    /// <summary>Reads the system's count of dropped datagrams or buffers; tests set another function.</summary>
    public Func<Socket, long> ReadKernelDrops { get; init; } = SocketSetup.ReadKernelDrops;

    public EventThrottle Events { get; }

    /// <summary>Makes awaited receives look for a noted error; set only if receives report such errors.</summary>
    public Action? TryReceivesSoon { get; set; }

    public bool IsClosed => _closed;

    /// <summary>
    /// Whether an ICMP message has reported that nobody listens at the peer's port, and the next receive is to throw.
    /// </summary>
    public bool IsPortUnreachable => _isPortUnreachable;

    /// <summary>
    /// Set by a receive that may not wait and met a shortage whose end no event reports. Awaited calls then try again a
    /// little later.
    /// </summary>
    public bool RetryReceiveLater { get; set; }

    /// <summary>The same for a send that met ENOBUFS.</summary>
    public bool RetrySendLater { get; set; }

    public void MarkClosed() => _closed = true;

    /// <summary>
    /// Notes an ICMP error that any call of the socket has met: the system reports the error only once, to the next
    /// call of any kind.
    /// </summary>
    public void NoteIcmpError(SocketError error)
    {
        // Windows reports ConnectionReset (SIO_UDP_CONNRESET).
        if (ReportsPortUnreachable && error is SocketError.ConnectionRefused or SocketError.ConnectionReset)
        {
            // A full barrier: a receive that begins to wait either sees the flag or is found by TryReceivesSoon.
            Interlocked.Exchange(ref _isPortUnreachable, true);
        }
    }

    /// <summary>
    /// The same for a send, which has taken the error from the system. The system woke the waiting receives for the
    /// error, but they will not find it there. So awaited receives are made to look here. Receives must not call this,
    /// because they may hold locks of their receiver.
    /// </summary>
    public void NoteIcmpErrorOfSend(SocketError error)
    {
        NoteIcmpError(error);
        if (_isPortUnreachable) TryReceivesSoon?.Invoke();
    }

    /// <summary>
    /// Throws the noted error (<see cref="IsPortUnreachable"/>): only one of several receives throws it.
    /// </summary>
    public void ThrowIfPortUnreachable()
    {
        if (!_isPortUnreachable || !Interlocked.Exchange(ref _isPortUnreachable, false)) return;
        throw new SocketException(
            (int)SocketError.ConnectionRefused,
            $"Nobody listens at {Remote}: start the program there, or check the address and the port.");
    }

    /// <summary>
    /// Wakes every call that waits for the socket. close(2) does not wake a blocked recvmmsg. shutdown(2) does, also on
    /// an unconnected socket, although it returns ENOTCONN there.
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
            // NotConnected: the waits of Portable notice the close at the end of their interval.
        }
    }

    /// <summary>Sleeps in short intervals, so that Close need not wait for the end of a long pause.</summary>
    public void Pause(int milliseconds)
    {
        const int sliceMilliseconds = 50;
        for (int left = milliseconds; left > 0 && !_closed; left -= sliceMilliseconds)
            Thread.Sleep(Math.Min(left, sliceMilliseconds));
    }

    /// <summary>
    /// The descriptor. Valid while a call is inside the socket's gate, because Close waits until the gate is empty.
    /// </summary>
    public int Descriptor { get; }
}
