using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Mmsg;

/// <summary>Linux: recvmmsg and sendmmsg with trains (UDP_SEGMENT) and coalesced receive (UDP_GRO).</summary>
// SAFETY: the unsafe parts of this type are its calls; each says what its pointers point to and who keeps that.
internal sealed unsafe partial class MmsgBackend<TCalls> : DatagramBackend
    where TCalls : struct, ISocketCalls
{
    private const int SendFlags = SysSocket.MSG_DONTWAIT | SysSocket.MSG_NOSIGNAL;

    private readonly DemotionList _demoted;
    private readonly ReceiveShape _receiveShape;
    private readonly int _descriptor;
    private readonly int _cutFlags;
    private readonly bool _readsInfo;
    private readonly ReceiveFaults _receiveFaults;
    private TCalls _calls;

    public MmsgBackend(SocketContext context, bool coalescedReceive, bool segmentedSend, TCalls calls)
        : base(context)
    {
        _calls = calls;
        _descriptor = context.Descriptor;
        _receiveFaults = new ReceiveFaults(context, ReadErrorQueue);
        _demoted = new DemotionList(context.Options.TimeProvider, context.Remote);
        _readsInfo = context.Options.Metadata != UdpMetadata.None;
        CoalescedReceive = coalescedReceive;
        SegmentedSend = segmentedSend;

        // Not only as many bytes as UDP_GRO needs: an option that was set by other means (SO_TIMESTAMPNS, SO_RXQ_OVFL)
        // adds its message before it, and a train without its segment size looks like one datagram.
        bool readsControl = _readsInfo || coalescedReceive;
        int controlBytes = readsControl ? ControlMessages.ReceivedBytesMax : 0;
        _cutFlags = coalescedReceive ? SysSocket.MSG_TRUNC | SysSocket.MSG_CTRUNC : SysSocket.MSG_TRUNC;
        uint nameBytes = context.IsConnected ? 0 : (uint)(context.IsIPv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
        _receiveShape = new ReceiveShape(nameBytes, controlBytes, context.Remote);
    }

    /// <inheritdoc/>
    public override UdpBackend Kind => UdpBackend.Mmsg;

    /// <inheritdoc/>
    public override bool CoalescedReceive { get; }

    /// <inheritdoc/>
    public override bool SegmentedSend { get; }

    /// <inheritdoc/>
    public override bool NeedsStaging => CoalescedReceive;

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds)
    {
        if (Context.IsClosed) return ReceiveStatus.Closed;
        if (timeoutMilliseconds == 0)
        {
            // An error queue that is not empty would report the socket as ready for ever (socket.7, POLLERR).
            if (Context.MayQueueErrors) DrainAndCount();
            return ReceiveStatus.TimedOut;
        }

        int events = _calls.Poll(_descriptor, Poll.POLLIN, timeoutMilliseconds);
        if (Context.IsClosed) return ReceiveStatus.Closed;
        if (events > 0 && (events & Poll.POLLERR) != 0) DrainAndCount();

        // A signal counts as ready: the call is tried again and comes back here with the time that is left.
        return events == 0 ? ReceiveStatus.TimedOut : ReceiveStatus.Received;
    }

    /// <inheritdoc/>
    public override void WakeAll()
    {
        // close(2) does not wake a blocked recvmmsg, shutdown does, also on an unconnected socket, where it answers
        // ENOTCONN.
        SysSocket.shutdown(_descriptor, SysSocket.SHUT_RDWR);
    }
}
