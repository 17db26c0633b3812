using System.Net;
using System.Net.Sockets;
using Spate.Trains;

namespace Spate.Sockets.Portable;

/// <summary>
/// System.Net.Sockets with one call per datagram and no allocation, on every operating system. The descriptor is
/// non-blocking:
/// a wait is a poll in slices, so that Close is noticed within one even where nothing can wake a poll.
/// </summary>
internal sealed partial class PortableBackend : DatagramBackend
{
    private const int WaitSliceMilliseconds = 100;

    // Each is an exception, so that a server's thread whose receives are forbidden takes a twentieth of a CPU.
    private const int AttemptCountMax = 5;

    private readonly Socket _socket;
    private readonly SocketAddress _receiveAddress;
    private readonly SocketAddress _sendAddress;
    private readonly Lock _receiveLock = new();
    private readonly Lock _sendLock = new();
    private readonly ReceiveFaults _receiveFaults;
    private UdpEndPoint _sendPeer;

    public PortableBackend(SocketContext context)
        : base(context)
    {
        _socket = context.Socket;
        _socket.Blocking = false;
        _receiveAddress = new SocketAddress(_socket.AddressFamily);
        _sendAddress = new SocketAddress(_socket.AddressFamily);
        _receiveFaults = new ReceiveFaults(
            context, ReadErrorQueue, static error => ((SocketError)error).ToString(), AttemptCountMax);
    }

    /// <inheritdoc/>
    public override UdpBackend Kind => UdpBackend.Portable;

    /// <inheritdoc/>
    public override bool CoalescedReceive => false;

    /// <inheritdoc/>
    public override bool SegmentedSend => false;

    /// <inheritdoc/>
    public override bool NeedsStaging => true;

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram) =>
        throw new InvalidOperationException("The portable backend receives through batches only.");

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds) =>
        Wait(SelectMode.SelectRead, timeoutMilliseconds) switch
        {
            true => ReceiveStatus.Received,
            false => Context.IsClosed ? ReceiveStatus.Closed : ReceiveStatus.TimedOut,
        };

    /// <inheritdoc/>
    public override bool UsesRuntimeReadiness => true;

    /// <inheritdoc/>
    public override void ReadErrorQueue() => ErrorQueue.Discard(Context.Descriptor, out _);

    /// <inheritdoc/>
    public override void WakeAll()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // NotConnected, although on Linux it has woken the waiting calls; elsewhere the next slice ends them.
        }
    }

    private bool Wait(SelectMode mode, int timeoutMilliseconds)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        while (!Context.IsClosed)
        {
            int remaining = deadline.RemainingMilliseconds;
            int slice = Deadline.Shorter(remaining, WaitSliceMilliseconds);
            if (_socket.Poll(slice * 1000, mode)) return !Context.IsClosed;
            if (HasPendingError())
            {
                // Once taken out of the queue it is told by no call any more, so it is counted here.
                if (!ErrorQueue.Discard(Context.Descriptor, out bool hadError)) return !Context.IsClosed;
                if (hadError) Context.Counters.CountIcmpError();
                if (remaining != 0) continue;
            }

            if (remaining >= 0 && remaining <= slice) return false;
        }

        return false;
    }

    private bool IsReady(SelectMode mode) => _socket.Poll(0, mode) || HasPendingError();

    // A pending ICMP error ends the poll (POLLERR) without making the socket readable, so the next one would end at
    // once too: the call that follows reads the error, which clears it.
    private bool HasPendingError() => _socket.Poll(0, SelectMode.SelectError);
}
