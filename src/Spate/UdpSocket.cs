using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using Spate.Diagnostics;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

/// <summary>
/// A UDP socket that sends and receives in batches, in the fastest way that the system offers. Any number of threads
/// may use the socket at once, each with its own batches. Errors of single datagrams are not thrown: results and
/// counters report them. A <see cref="SocketException"/> means that the system refused the socket or one of its
/// options. Receives also throw it with <see cref="UdpSocketOptions.ReportPortUnreachable"/>.
/// </summary>
/// <remarks>
/// All calls report a closed socket in the same way. It makes no difference whether the socket was closed before the
/// call or while the call waited, and whether the call blocks or is awaited. A call that returns a status returns
/// <see cref="ReceiveStatus.Closed"/> or <see cref="SendStatus.Closed"/>. A call that returns no status throws
/// <see cref="ObjectDisposedException"/>: both forms of <c>ReceiveFromAsync</c>, options and multicast. On a closed
/// socket <see cref="GetCounters"/> still works, and <see cref="TryReceiveIcmpError"/> returns false.
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

    // Null if no call of the receiver takes several datagrams.
    private readonly SingleReceiver? _singles;
    private readonly PendingCalls _pending;
    private readonly CallGate _gate = new();
    private readonly MeterEntry _meterEntry;

    internal UdpSocket(SocketContext context, in BackendPair pair)
    {
        _context = context;
        Backend = pair.Backend;
        _receiver = pair.Receiver;
        _sender = pair.Sender;
        if (_receiver.Traits.Coalesces || _receiver.Traits.TakesSeveral)
        {
            _singles = new SingleReceiver(Backend, _receiver, context);
        }

        _pending = new PendingCalls(_receiver, context, _gate);
        if (context.ReportsPortUnreachable) context.TryReceivesSoon = _pending.TryReceivesSoon;
        if (context.HasDescriptor)
        {
            ReceiveBufferBytes = SocketSetup.GrantedReceiveBytes(context.Socket);
            SendBufferBytes = SocketSetup.GrantedSendBytes(context.Socket);
        }

        context.Counters.KernelDropUnit =
            CoalescedReceive ? UdpDropUnit.CoalescedBuffers : UdpDropUnit.Datagrams;
        _meterEntry = SpateMeter.Add(this, context.Counters.Read, context.Options.Name);
    }

    /// <summary>The address and port that the socket is bound to.</summary>
    public UdpEndPoint LocalEndPoint => _context.LocalEndPoint;

    /// <summary>The peer that the socket is connected to; <c>default</c> if the socket is not connected.</summary>
    public UdpEndPoint Peer => _context.Remote;

    /// <summary>The backend in use, never <see cref="UdpBackend.Automatic"/>.</summary>
    public UdpBackend Backend { get; }

    /// <summary>
    /// Whether the kernel can return several datagrams in one buffer: the option was set and the system supports it.
    /// The first receive batch of the socket switches it on (<see cref="CreateReceiveBatch"/>); until then the kernel
    /// cuts everything into single datagrams.
    /// </summary>
    public bool CoalescedReceive => _receiver.Traits.Coalesces;

    /// <summary>
    /// Whether datagrams of one peer and size are sent as GSO messages: the option was set and the system supports it.
    /// </summary>
    public bool SegmentedSend => _sender.Segments;

    /// <summary>
    /// The size in bytes of the receive buffer that the system granted when the socket was opened. On Linux this is
    /// half of the value that getsockopt returns, since the kernel doubles the granted size (socket.7).
    /// <see cref="UdpSocketOptions.ReceiveBufferBytes"/> is the requested size.
    /// </summary>
    public int ReceiveBufferBytes { get; }

    /// <summary>
    /// The size in bytes of the send buffer that the system granted when the socket was opened. On Linux this is half
    /// of the value that getsockopt returns, since the kernel doubles the granted size (socket.7).
    /// <see cref="UdpSocketOptions.SendBufferBytes"/> is the requested size.
    /// </summary>
    public int SendBufferBytes { get; }

    /// <summary>
    /// The descriptor or handle of the socket, for system features that this library does not cover. Do not close the
    /// handle, and do not receive through it.
    /// </summary>
    public SafeSocketHandle SafeHandle => _context.Socket.SafeHandle;

    /// <summary>
    /// The descriptor that becomes readable when something can be received. Valid while the socket is open.
    /// </summary>
    internal int PollDescriptor => _receiver.Traits.PollDescriptor;

    /// <summary>The receives of single datagrams; for tests.</summary>
    internal SingleReceiver? Singles => _singles;

    /// <summary>The awaited calls that wait; for tests.</summary>
    internal PendingCalls Pending => _pending;

    /// <summary>The context of the socket, for waiting on systems without epoll.</summary>
    internal SocketContext Context => _context;

    /// <summary>Opens a socket that receives at a local address and can send to any peer.</summary>
    /// <remarks>
    /// The first socket of a process that needs a fast path tests the path before it uses the path. The test opens a
    /// socket on 127.0.0.1, sends a few datagrams to it, receives them and closes the socket, in about a millisecond
    /// per path. Only paths that the options need are tested: recvmmsg and sendmmsg for every backend on Linux except
    /// Portable, GSO messages with <see cref="UdpSocketOptions.SegmentedSend"/>, coalescing with
    /// <see cref="UdpSocketOptions.CoalescedReceive"/>, and a ring if Uring is asked for; on Windows posted receives if
    /// Winsock or Rio is asked for, and Registered I/O if Rio is. Nothing is tested for Portable.
    /// <see cref="UdpCapabilities"/> has the results.
    /// </remarks>
    /// <param name="localEndPoint">
    /// The address and port to receive at. With port 0 the system chooses a free port, which
    /// <see cref="LocalEndPoint"/> then shows.
    /// </param>
    /// <param name="options">The options of the socket; null for the defaults.</param>
    /// <exception cref="ArgumentException">The address is <c>default</c>, <see cref="UdpSocketOptions.Name"/> or
    /// <see cref="UdpSocketOptions.BindToDevice"/> is not a valid name, or both
    /// <see cref="UdpSocketOptions.ReportPortUnreachable"/> and <see cref="UdpSocketOptions.ReportIcmpErrors"/> are
    /// set.</exception>
    /// <exception cref="ArgumentOutOfRangeException">Another option has an invalid value; the message names the valid
    /// values.</exception>
    /// <exception cref="SocketException">The system refused: the port is busy, the address or the device is not on this
    /// machine, or permission is missing. The message names the cause and the remedy; <c>SocketErrorCode</c> is the
    /// error code of the system.</exception>
    /// <exception cref="PlatformNotSupportedException">An option is unavailable here; the message names the option and
    /// the reason.</exception>
    /// <exception cref="InvalidOperationException">The environment variable <c>SPATE_BACKEND</c> has an invalid value,
    /// and the options name no <see cref="UdpSocketOptions.Backend"/>.</exception>
    public static UdpSocket Bind(UdpEndPoint localEndPoint, UdpSocketOptions? options = null)
    {
        RequireAddress(localEndPoint, "Any(9999)", nameof(localEndPoint));
        UdpBackend backend = Prepare(ref options);
        Socket socket = SocketSetup.Open(localEndPoint.AddressFamily, options, backend == UdpBackend.Rio);
        return Open(socket, backend, options, localEndPoint.Port, () => SocketSetup.Bind(socket, localEndPoint));
    }

    /// <summary>
    /// Throws if another socket has the port, even if that socket has <see cref="UdpSocketOptions.ReusePort"/> and a
    /// new socket could share the port. Opens a socket without ReusePort and closes it again, so it does not notice
    /// another socket that binds at the same moment. Port 0 is always free.
    /// </summary>
    internal static void RequireFreePort(UdpEndPoint local, UdpSocketOptions options)
    {
        RequireAddress(local, "Any(9999)", nameof(local));
        if (local.Port == 0) return;
        UdpSocketOptions alone = options with
        {
            ReusePort = false,
            ReuseAddress = false,
            ProcessorIndex = null,
        };
        OptionChecks.Check(alone);
        using Socket socket = SocketSetup.Open(local.AddressFamily, alone);

        // On Windows a plain bind may share the port with a socket that has SO_REUSEADDR.
        if (OperatingSystem.IsWindows()) socket.ExclusiveAddressUse = true;
        SocketSetup.Bind(socket, local);
    }

    /// <summary>
    /// Opens a socket that communicates with one peer only: the socket does not receive datagrams of other peers. The
    /// kernel remembers the route to the peer, which makes sends and receives about an eighth cheaper.
    /// </summary>
    /// <param name="peer">The address and port of the peer.</param>
    /// <param name="localEndPoint">
    /// The address and port to send from; the address must be of the peer's family. Port 0 or <c>default</c> lets the
    /// system choose.
    /// </param>
    /// <param name="options">The options of the socket; null for the defaults.</param>
    /// <exception cref="ArgumentException">The peer is <c>default</c> or has port 0, <paramref name="localEndPoint"/>
    /// is of another family than the peer, or an option is invalid as for <see cref="Bind"/>.</exception>
    /// <exception cref="SocketException">The system refused, for instance because no route exists, or for a reason that
    /// <see cref="Bind"/> lists. The message names the remedy.</exception>
    /// <exception cref="PlatformNotSupportedException">An option is unavailable here; the message names the option and
    /// the reason.</exception>
    /// <exception cref="InvalidOperationException">The environment variable <c>SPATE_BACKEND</c> has an invalid value,
    /// and the options name no <see cref="UdpSocketOptions.Backend"/>.</exception>
    public static UdpSocket Connect(
        UdpEndPoint peer, UdpEndPoint localEndPoint = default, UdpSocketOptions? options = null)
    {
        RequireAddress(peer, "Loopback(9999)", nameof(peer));

        // Linux accepts a connect to port 0, but then refuses every send.
        if (peer.Port == 0)
        {
            throw new ArgumentException(
                "The peer has port 0, to which nothing can be sent: give a port from 1 to 65535.", nameof(peer));
        }

        if (!localEndPoint.IsDefault && localEndPoint.AddressFamily != peer.AddressFamily)
        {
            throw new ArgumentException(
                $"The local address {localEndPoint} is not of the family of the peer {peer}: give one that is.",
                nameof(localEndPoint));
        }

        UdpBackend backend = Prepare(ref options);
        Socket socket = SocketSetup.Open(peer.AddressFamily, options, backend == UdpBackend.Rio);
        long refusedCount = -1;
        UdpSocket connected = Open(socket, backend, options, localEndPoint.Port, BindAndConnect);
        connected._context.Counters.RestartKernelDrops(_ => refusedCount, socket);
        return connected;

        // A connect filters arrivals, but leaves the queue as it is (udp.7), and a receive takes all for the peer's. So
        // only the peer's datagrams are let in until then. The system counts the others as drops.
        void BindAndConnect()
        {
            bool isFiltered = !localEndPoint.IsDefault && !peer.Address.IsUnspecified && OperatingSystem.IsLinux()
                && SocketSetup.TryAdmitOnly(socket, peer);
            if (!localEndPoint.IsDefault) SocketSetup.Bind(socket, localEndPoint);
            SocketSetup.Connect(socket, peer);
            if (!isFiltered) return;
            SocketSetup.AdmitArrivals(socket);
            refusedCount = SocketSetup.ReadKernelDrops(socket);
        }
    }

    /// <summary>
    /// Takes over a bound UDP socket: from now on only the returned object may use and dispose the socket.
    /// </summary>
    /// <param name="socket">
    /// A bound UDP socket on which no operation is running. If this method throws, the socket stays open and still
    /// belongs to the caller.
    /// </param>
    /// <param name="options">
    /// The options to set. Options that apply only before binding are ignored. Options for coalescing and segmentation
    /// that were set on the socket before are turned off first: only this object decides on both. Winsock refuses a
    /// socket that has made asynchronous calls; Rio refuses one without WSA_FLAG_REGISTERED_IO.
    /// </param>
    /// <exception cref="ArgumentException">The socket is not a bound UDP socket over IPv4 or IPv6, or an option is
    /// invalid as for <see cref="Bind"/>.</exception>
    /// <exception cref="SocketException">The system refused an option; the message names the cause.</exception>
    /// <exception cref="PlatformNotSupportedException">An option is unavailable here; the message names the option and
    /// the reason.</exception>
    /// <exception cref="InvalidOperationException">The environment variable <c>SPATE_BACKEND</c> has an invalid value,
    /// and the options name no <see cref="UdpSocketOptions.Backend"/>.</exception>
    /// <remarks>
    /// The queue is kept. In a socket that was connected after its bind, it may hold datagrams of other peers, which
    /// count as the peer's. Coalesced buffers in it arrive as one datagram each if this object does not coalesce.
    /// </remarks>
    public static UdpSocket FromSocket(Socket socket, UdpSocketOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(socket);
        if (socket.SocketType != SocketType.Dgram || socket.ProtocolType != ProtocolType.Udp)
        {
            throw new ArgumentException(
                $"The socket has the type {socket.SocketType} and the protocol {socket.ProtocolType}: give a UDP "
                + "socket (SocketType.Dgram, ProtocolType.Udp).",
                nameof(socket));
        }

        if (socket.LocalEndPoint is not IPEndPoint)
        {
            throw new ArgumentException(
                "The socket is not bound to a port: call Bind or Connect on the socket first.", nameof(socket));
        }

        UdpBackend backend = Prepare(ref options);
        UdpSocket taken = Finish(socket, backend, options, () => SocketSetup.DisableSegmentedSend(socket));
        taken._context.MayQueueErrors = true;

        // The queue may hold coalesced buffers from before. Of these, a plain receive would lose all but one datagram.
        taken._singles?.BeginBatches();
        return taken;
    }

    /// <summary>Reads the counters of this socket. After the socket was closed, returns the final counters.</summary>
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
    /// Prepares the socket so that an event can wake a thread that waits for the socket. A server thread, which
    /// receives only without waiting, calls this method before it sleeps on a waiter of <see cref="CreateWaiter"/>.
    /// </summary>
    /// <returns>
    /// True if the thread can sleep. False if it is possible that no event reports the next datagram. The thread must
    /// then pause and try again.
    /// </returns>
    internal bool PrepareToWait()
    {
        if (!_gate.TryEnter()) return true;
        try
        {
            return _receiver.PrepareToWait();
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Ends the receive that the socket may have in the kernel (Uring). The receiving thread calls this method once it
    /// receives no more, so that any thread can then close the socket without delay.
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

    // Adds the drops that the kernel has counted since the last call. The kernel's count can be read only while the
    // descriptor is open, so the counters keep the sum for reads after the socket was closed.
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
        // The remote is read twice. The first read is before Apply, because .NET forgets that a socket is connected if
        // the system refuses an option, even an optional one. The second read is after open, because a socket that is
        // opened here is connected only by open.
        UdpEndPoint remote = RemoteOf(socket);
        SocketSetup.Apply(socket, options);
        open();
        if (remote.IsDefault) remote = RemoteOf(socket);
        SocketContext context = new(socket, options, remote);
        return new UdpSocket(context, BackendSelector.Open(backend, context));
    }

    private static UdpEndPoint RemoteOf(Socket socket) =>
        socket.Connected ? UdpEndPoint.FromIPEndPoint((IPEndPoint)socket.RemoteEndPoint!) : default;

    private static void RequireAddress(in UdpEndPoint endPoint, string example, string name)
    {
        if (endPoint.IsDefault)
        {
            throw new ArgumentException($"An address is needed, for instance UdpEndPoint.{example}.", name);
        }
    }
}
