using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using Spate.Diagnostics;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

/// <summary>
/// A UDP socket that sends and receives in batches through the fastest way the system offers. Any number of threads may
/// use it at once, each with batches of its own. Faults of single datagrams are results and counters; a <see
/// cref="SocketException"/> means that the socket itself could not be set up.
/// </summary>
/// <remarks>
/// Closing looks the same in every call, whether the call waits while another thread closes the socket or comes after
/// that, and whether it blocks or is awaited. A call that returns a status returns <see cref="ReceiveStatus.Closed"/>
/// or <see cref="SendStatus.Closed"/>. A call that returns none
/// (<see cref="ReceiveFromAsync(Memory{byte}, CancellationToken)"/>, options, multicast) throws
/// <see cref="ObjectDisposedException"/>. <see cref="GetCounters"/> goes on working, and
/// <see cref="TryReceiveIcmpError"/> finds nothing.
/// </remarks>
/// <example><code>
/// using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Any(9999));
/// using ReceiveBatch batch = socket.CreateReceiveBatch();
/// while (socket.Receive(batch) == ReceiveStatus.Received)
///     foreach (Datagram datagram in batch)
///         Handle(datagram.Peer, datagram.Payload);
/// </code></example>
public sealed partial class UdpSocket : IDisposable, IAsyncDisposable, ICounterSource
{
    private readonly SocketContext _context;
    private readonly Receiver _receiver;
    private readonly Sender _sender;
    private readonly PendingCalls _pending;
    private readonly CallGate _gate = new();
    private readonly MeterEntry _meterEntry;

    internal UdpSocket(SocketContext context, in BackendPair pair)
    {
        _context = context;
        Backend = pair.Backend;
        _receiver = pair.Receiver;
        _sender = pair.Sender;
        _queueType = _sender.QueueType;
        _pending = new PendingCalls(_receiver, context, _gate);
        if (context.ReportsPortUnreachable) context.TryReceivesSoon = _pending.TryReceivesSoon;
        LocalEndPoint = UdpEndPoint.FromIPEndPoint((IPEndPoint)context.Socket.LocalEndPoint!);
        ReceiveBufferBytes = SocketSetup.GrantedReceiveBytes(context.Socket);
        SendBufferBytes = SocketSetup.GrantedSendBytes(context.Socket);
        context.Counters.KernelDropUnit =
            CoalescedReceive ? UdpDropUnit.CoalescedBuffers : UdpDropUnit.Datagrams;
        _meterEntry = SpateMeter.Add(this, context.Counters.Read, context.Options.Name);
    }

    /// <summary>The address and port that the socket is bound to.</summary>
    public UdpEndPoint LocalEndPoint { get; }

    /// <summary>The peer that the socket is connected to; <c>IsDefault</c> if it is not connected.</summary>
    public UdpEndPoint RemoteEndPoint => _context.Remote;

    /// <summary>The backend in use, never <see cref="UdpBackend.Automatic"/>.</summary>
    public UdpBackend Backend { get; }

    /// <summary>Whether the kernel may hand over several datagrams as one buffer, as asked for and possible.</summary>
    public bool CoalescedReceive => _receiver.Traits.Coalesces;

    /// <summary>Whether datagrams of one peer and size leave as GSO messages, as asked for and possible.</summary>
    public bool SegmentedSend => _sender.Segments;

    /// <summary>
    /// The receive buffer that the system granted when the socket was opened, in bytes. On Linux this is half of the
    /// value that getsockopt returns, since the kernel doubles the granted size (socket.7).
    /// <see cref="UdpSocketOptions.ReceiveBufferBytes"/> is the requested size.
    /// </summary>
    public int ReceiveBufferBytes { get; }

    /// <summary>
    /// The send buffer that the system granted when the socket was opened, in bytes; on Linux half of the value that
    /// getsockopt returns. <see cref="UdpSocketOptions.SendBufferBytes"/> is the requested size.
    /// </summary>
    public int SendBufferBytes { get; }

    /// <summary>
    /// The descriptor or handle, for what this library does not cover. It must not be closed or read from.
    /// </summary>
    public SafeSocketHandle SafeHandle => _context.Socket.SafeHandle;

    /// <summary>
    /// The descriptor that becomes readable when something can be received; valid while the socket is open.
    /// </summary>
    internal int PollDescriptor => _receiver.Traits.PollDescriptor;

    /// <summary>The calls that wait; for tests.</summary>
    internal PendingCalls Pending => _pending;

    /// <summary>The underlying socket, for waiting on systems without epoll.</summary>
    internal Socket Inner => _context.Socket;

    /// <summary>Opens a socket that receives at an address and can send to anybody.</summary>
    /// <remarks>
    /// The first socket of a process that needs a fast path tries it first: it opens sockets on 127.0.0.1, sends a few
    /// datagrams to them, receives these and closes the sockets, in about a millisecond for each. It tries only what
    /// the options need: Mmsg for <see cref="UdpBackend.Automatic"/> and Mmsg on Linux, GSO messages with
    /// <see cref="UdpSocketOptions.SegmentedSend"/>, coalescing with <see cref="UdpSocketOptions.CoalescedReceive"/>, a
    /// ring if Uring is asked for, and nothing for Portable. <see cref="UdpCapabilities"/> has the results.
    /// </remarks>
    /// <param name="local">
    /// The address and port; port 0 lets the system choose a free one, see <see cref="LocalEndPoint"/>.
    /// </param>
    /// <param name="options">The options of the socket; null for the defaults.</param>
    /// <exception cref="ArgumentException">The address is <c>default</c>, or
    /// <see cref="UdpSocketOptions.BindToDevice"/> cannot be a name.</exception>
    /// <exception cref="ArgumentOutOfRangeException">Another option has an invalid value; the message names the valid
    /// ones.</exception>
    /// <exception cref="SocketException">The system refused: the port is busy, the address or the device is not on this
    /// machine, or permission is missing. The message names the cause and the remedy; <c>SocketErrorCode</c> is the
    /// system's.</exception>
    /// <exception cref="PlatformNotSupportedException">An option is unavailable here; the message names the option and
    /// the reason.</exception>
    /// <exception cref="InvalidOperationException">The environment variable <c>SPATE_BACKEND</c> has an invalid value,
    /// and the options name no <see cref="UdpSocketOptions.Backend"/>.</exception>
    public static UdpSocket Bind(UdpEndPoint local, UdpSocketOptions? options = null)
    {
        RequireAddress(local, nameof(local));
        UdpBackend backend = Prepare(ref options);
        Socket socket = SocketSetup.Open(local.AddressFamily, options);
        return Open(socket, backend, options, local.Port, () => SocketSetup.Bind(socket, local));
    }

    /// <summary>
    /// Throws if another socket has the port, even if <see cref="UdpSocketOptions.ReusePort"/> would share it. Call
    /// this method before opening the first of several sockets that are to share a port only among themselves. The
    /// method opens a socket without the option and closes it again, so a socket that binds at the same moment is not
    /// noticed. Port 0 is always free.
    /// </summary>
    /// <param name="local">The address and port.</param>
    /// <param name="options">As they will be used with <see cref="Bind"/>; null for the defaults.</param>
    /// <exception cref="SocketException">The port is busy, or <see cref="Bind"/> failed for another reason.</exception>
    public static void RequireFreePort(UdpEndPoint local, UdpSocketOptions? options = null)
    {
        RequireAddress(local, nameof(local));
        if (local.Port == 0) return;
        UdpSocketOptions alone = (options ?? new UdpSocketOptions()) with
        {
            ReusePort = false,
            Backend = UdpBackend.Portable,
            Metadata = UdpMetadata.None,
            IcmpErrors = false,
            ReportPortUnreachable = false,
        };
        Bind(local, alone).Dispose();
    }

    /// <summary>
    /// Opens a socket that speaks with one peer only: others' datagrams are not received, and the kernel keeps the
    /// route, which makes sends and receives about an eighth cheaper.
    /// </summary>
    /// <param name="peer">The other end.</param>
    /// <param name="local">
    /// The address and port to send from, of the peer's family; port 0 or <c>default</c> lets the system choose.
    /// </param>
    /// <param name="options">The options of the socket; null for the defaults.</param>
    /// <exception cref="ArgumentException">The peer is <c>default</c> or has port 0, the two addresses are of different
    /// families, or an option is refused as by <see cref="Bind"/>.</exception>
    /// <exception cref="SocketException">The system refused, for instance because no route exists, or for a reason that
    /// <see cref="Bind"/> lists. The message names the remedy.</exception>
    /// <exception cref="PlatformNotSupportedException">An option is unavailable here; the message names the option and
    /// the reason.</exception>
    /// <exception cref="InvalidOperationException">As for <see cref="Bind"/>.</exception>
    public static UdpSocket Connect(
        UdpEndPoint peer, UdpEndPoint local = default, UdpSocketOptions? options = null)
    {
        RequireAddress(peer, nameof(peer));

        // Linux connects to port 0 and refuses every send afterwards.
        if (peer.Port == 0)
        {
            throw new ArgumentException(
                "The peer has port 0, to which nothing can be sent: give a port from 1 to 65535.", nameof(peer));
        }

        if (!local.IsDefault && local.AddressFamily != peer.AddressFamily)
        {
            throw new ArgumentException(
                $"The local address {local} is not of the family of the peer {peer}: give one that is.", nameof(local));
        }

        UdpBackend backend = Prepare(ref options);
        Socket socket = SocketSetup.Open(peer.AddressFamily, options);
        return Open(socket, backend, options, local.Port, BindAndConnect);

        void BindAndConnect()
        {
            if (!local.IsDefault) SocketSetup.Bind(socket, local);
            SocketSetup.Connect(socket, peer);
        }
    }

    /// <summary>Takes over a bound UDP socket; from now on only this object may use and dispose it.</summary>
    /// <param name="socket">
    /// A bound datagram socket without operations under way. Where this throws it stays the caller's, open.
    /// </param>
    /// <param name="options">
    /// The options to set; options that matter only before binding are ignored. Coalescing and segmentation that were
    /// set on the socket before (UDP_GRO, UDP_SEGMENT) are undone.
    /// </param>
    /// <exception cref="ArgumentException">It is not a bound UDP socket over IPv4 or IPv6, or an option is refused as
    /// by <see cref="Bind"/>.</exception>
    /// <exception cref="PlatformNotSupportedException">As for <see cref="Bind"/>.</exception>
    /// <exception cref="InvalidOperationException">As for <see cref="Bind"/>.</exception>
    public static UdpSocket Adopt(Socket socket, UdpSocketOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(socket);
        if (socket.SocketType != SocketType.Dgram
            || socket.ProtocolType != ProtocolType.Udp
            || socket.LocalEndPoint is not IPEndPoint)
        {
            throw new ArgumentException("Only a UDP socket that is bound or connected can be adopted.", nameof(socket));
        }

        UdpBackend backend = Prepare(ref options);
        UdpSocket adopted = Finish(socket, backend, options, () => SocketSetup.DisableSegmentedSend(socket));
        adopted._context.MayQueueErrors = true;
        return adopted;
    }

    /// <summary>The counters of this socket so far; after closing, the final counters.</summary>
    public UdpCounters GetCounters()
    {
        if (_gate.TryEnter())
        {
            try
            {
                ReadKernelDrops();
            }
            finally
            {
                _gate.Leave();
            }
        }

        return _context.Counters.Read();
    }

    /// <summary>
    /// For a thread whose receives never wait, before it sleeps on a waiter of <see cref="CreateWaiter"/>.
    /// </summary>
    /// <returns>
    /// False if no event may come, or if the last receive met a shortage whose end no event reports: then the thread
    /// pauses instead.
    /// </returns>
    internal bool PrepareToWait()
    {
        if (!_gate.TryEnter()) return true;
        try
        {
            if (_context.RetryReceiveLater)
            {
                _context.RetryReceiveLater = false;
                return false;
            }

            return _receiver.PrepareToWait();
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Called by the thread that received, once it receives no more. Any thread can then close the socket at once.
    /// </summary>
    internal void EndReceiving()
    {
        if (!_gate.TryEnter()) return;
        try
        {
            _receiver.EndReceiving();
        }
        finally
        {
            _gate.Leave();
        }
    }

    // The one count that only the descriptor knows, so the last answer is kept for after Close.
    private void ReadKernelDrops() =>
        _context.Counters.UpdateKernelDrops(_context.ReadKernelDrops, _context.Socket);

    private static UdpBackend Prepare([NotNull] ref UdpSocketOptions? options)
    {
        options ??= new UdpSocketOptions();
        OptionChecks.Check(options);
        return BackendSelector.Choose(options);
    }

    private static UdpSocket Open(
        Socket socket, UdpBackend backend, UdpSocketOptions options, int port, Action open)
    {
        try
        {
            return Finish(socket, backend, options, options.ReusePort && port == 0 ? OpenAlone : open);
        }
        catch
        {
            socket.Dispose();
            throw;
        }

        void OpenAlone()
        {
            SocketSetup.BindOutsideReuseportGroup(socket);
            open();
            SocketSetup.EndKeepingOut(socket);
        }
    }

    private static UdpSocket Finish(Socket socket, UdpBackend backend, UdpSocketOptions options, Action open)
    {
        // Read twice. Before Apply: .NET forgets that a socket is connected if the system refuses an option, even an
        // optional one. After open: a socket that is opened here is connected only by open.
        UdpEndPoint remote = RemoteOf(socket);
        SocketSetup.Apply(socket, options);
        open();
        if (remote.IsDefault) remote = RemoteOf(socket);
        SocketContext context = new(socket, options, remote);
        return new UdpSocket(context, BackendSelector.Open(backend, context));
    }

    private static UdpEndPoint RemoteOf(Socket socket) =>
        socket.Connected ? UdpEndPoint.FromIPEndPoint((IPEndPoint)socket.RemoteEndPoint!) : default;

    private static void RequireAddress(in UdpEndPoint endPoint, string name)
    {
        if (endPoint.IsDefault)
        {
            throw new ArgumentException("An address is needed, for instance UdpEndPoint.Any(9999).", name);
        }
    }
}
