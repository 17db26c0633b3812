using System.Net;
using System.Net.Sockets;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>
/// The state that a socket and its backend share: the descriptor, the options, the peer, the counters, and whether the
/// socket is closed.
/// </summary>
internal sealed class SocketContext
{
    private const int NoDescriptor = -1;

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
        MayQueueErrors = options.ReportIcmpErrors;
        IsIPv6 = socket.AddressFamily == AddressFamily.InterNetworkV6;
        if (socket.LocalEndPoint is IPEndPoint local) LocalEndPoint = UdpEndPoint.FromIPEndPoint(local);
        Errors = new ErrorQueue(this);
    }

    /// <summary>
    /// Makes the context of a socket that exists only in memory: its receiver and its sender reach no system. The
    /// package Spate.Testing has such sockets.
    /// </summary>
    public SocketContext(UdpEndPoint local, UdpSocketOptions options)
    {
        Socket = null!;
        Descriptor = NoDescriptor;
        Options = options;
        IsIPv6 = !local.IsIPv4;
        LocalEndPoint = local;
        ReadKernelDrops = static _ => -1;
        Errors = new ErrorQueue(this);
    }

    /// <summary>
    /// The .NET socket, used for set-up and options. On the Mmsg backend no asynchronous operation is ever started on
    /// this socket, since the runtime would then make the descriptor non-blocking permanently. Null without
    /// <see cref="HasDescriptor"/>.
    /// </summary>
    public Socket Socket { get; }

    public UdpSocketOptions Options { get; }

    /// <summary>Whether the system has the socket; false for a socket that exists only in memory.</summary>
    public bool HasDescriptor => Descriptor != NoDescriptor;

    /// <summary>The address and port that the socket is bound to.</summary>
    public UdpEndPoint LocalEndPoint { get; }

    /// <summary>The peer of a connected socket, otherwise default.</summary>
    public UdpEndPoint Remote { get; }

    public bool IsConnected { get; }

    public bool IsIPv6 { get; }

    /// <summary>
    /// Whether the error queue may contain anything: because of the option ReportIcmpErrors, of an option that the user
    /// has set by its native numbers, or of an option that an adopted socket already had.
    /// </summary>
    public bool MayQueueErrors { get; set; }

    /// <summary>Whether ICMP errors reach the socket's calls at all (udp.7).</summary>
    public bool HearsOfIcmp => IsConnected || MayQueueErrors;

    /// <summary>Whether receives throw if nobody listens at the peer's port.</summary>
    public bool ReportsPortUnreachable { get; }

    public SocketCounters Counters { get; } = new();

    /// <summary>The error queue; tests replace it with their own.</summary>
    public ErrorQueue Errors { get; set; }

    /// <summary>Reads the system's count of dropped datagrams or buffers; tests replace this function.</summary>
    public Func<Socket, long> ReadKernelDrops { get; init; } = SocketSetup.ReadKernelDrops;

    /// <summary>
    /// Makes awaited receives check for an error that another call has noted; null if receives do not report such
    /// errors.
    /// </summary>
    public Action? TryReceivesSoon { get; set; }

    public bool IsClosed => _closed;

    /// <summary>
    /// Whether an ICMP message has reported that nobody listens at the peer's port, so that the next receive throws.
    /// </summary>
    public bool IsPortUnreachable => _isPortUnreachable;

    public void MarkClosed() => _closed = true;

    /// <summary>
    /// Notes an ICMP error that any call of the socket got: the system reports the error only once, to the next call of
    /// any kind. If nobody listens at the peer's port and <see cref="ReportsPortUnreachable"/> is set, the next receive
    /// throws.
    /// </summary>
    public void NoteIcmpError(SocketError error)
    {
        // Windows reports ConnectionReset (SIO_UDP_CONNRESET).
        if (ReportsPortUnreachable && error is SocketError.ConnectionRefused or SocketError.ConnectionReset)
        {
            // The exchange is a full barrier: a receive that begins to wait either sees the flag or is found by
            // TryReceivesSoon.
            Interlocked.Exchange(ref _isPortUnreachable, true);
        }
    }

    /// <summary>
    /// Notes an ICMP error that a send got, and makes awaited receives check for it. The system woke the waiting
    /// receives for the error, but the send has already taken the error from the system. Receives must not call this
    /// method, because they may be inside their receiver's lock.
    /// </summary>
    public void NoteIcmpErrorOfSend(SocketError error)
    {
        NoteIcmpError(error);
        if (_isPortUnreachable) TryReceivesSoon?.Invoke();
    }

    /// <summary>
    /// Throws the noted error (<see cref="IsPortUnreachable"/>) and clears it, so that only one of several receives
    /// throws.
    /// </summary>
    public void ThrowIfPortUnreachable()
    {
        if (!_isPortUnreachable || !Interlocked.Exchange(ref _isPortUnreachable, false)) return;
        throw new SocketException(
            (int)SocketError.ConnectionRefused,
            $"No program listens at {Remote}: start it there, or check the address and the port.");
    }

    /// <summary>
    /// Wakes every call that waits for the socket. close(2) does not wake a blocked recvmmsg. shutdown(2) does, also on
    /// an unconnected socket, although it returns ENOTCONN there.
    /// </summary>
    public void Shutdown()
    {
        if (!HasDescriptor) return;
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
            // A socket that is not connected refuses the shutdown. A wait of the Portable backend notices the close at
            // the end of its current poll (PortableWait).
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
    /// The descriptor. Valid while the caller is inside the socket's <see cref="CallGate"/>, because Close waits until
    /// the gate is empty.
    /// </summary>
    public int Descriptor { get; }
}
