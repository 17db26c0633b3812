using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets;

/// <summary>
/// The error queue of a Linux socket, which the receiver and the sender share. The kernel fills the queue only if
/// IP_RECVERR or time stamps were requested (ip.7). Queued entries use space of the receive buffer and end every poll
/// at once, so receiver and sender both empty the queue. The ICMP errors of the queue are kept in a bounded list until
/// the application asks for them; the list drops the oldest first. On other systems the queue is always empty.
/// </summary>
internal unsafe class ErrorQueue(SocketContext context)
{
    /// <summary>
    /// The most messages that one call reads. Without a limit, a call might never end, because messages can arrive as
    /// fast as they are read.
    /// </summary>
    public const int MaxDrainCount = 256;

    private const int MaxKeptCount = 256;

    private readonly Queue<UdpIcmpError> _kept = new();

    /// <summary>
    /// Whether a receive hears of each error and counts it, although another call has read it from the queue: a ring's
    /// request takes an error as soon as it comes.
    /// </summary>
    public bool ReceivesHearEach { get; set; }

    /// <summary>
    /// Returns the oldest kept ICMP error and removes it from the list; reads the queue first if the list is empty.
    /// </summary>
    public bool TryTake(out UdpIcmpError error)
    {
        lock (_kept)
        {
            if (_kept.Count == 0) DrainBesideReceives();
            return _kept.TryDequeue(out error);
        }
    }

    /// <summary>
    /// Empties the queue. If it contained an ICMP error, counts the error here, because no later call will report it:
    /// with the entry the socket's pending error is gone (sock_dequeue_err_skb).
    /// </summary>
    /// <returns>Whether anything was in the queue.</returns>
    public bool DrainAndCount()
    {
        bool hadAny = Drain(out bool hadError);
        if (hadError) context.Counters.CountIcmpError();
        return hadAny;
    }

    /// <summary>Empties the queue for a call that does not receive, as <see cref="DrainAndCount"/>.</summary>
    public void DrainBesideReceives()
    {
        Drain(out bool hadError);
        if (hadError && !ReceivesHearEach) context.Counters.CountIcmpError();
    }

    /// <summary>
    /// Empties the queue, at most <see cref="MaxDrainCount"/> messages per call, and keeps its ICMP errors in the list.
    /// </summary>
    /// <param name="hadError">Whether an ICMP error was in the queue.</param>
    /// <returns>Whether anything was in the queue.</returns>
    public virtual bool Drain(out bool hadError)
    {
        hadError = false;
        if (!OperatingSystem.IsLinux()) return false;
        byte* control = stackalloc byte[ControlMessages.MaxReceivedBytes];
        int count = 0;
        lock (_kept)
        {
            while (count < MaxDrainCount)
            {
                UdpEndPoint peer = default;

                // SAFETY: the header and the memory that it points to are on the stack, and the header has their sizes.
                // It has no iovec, because the payload that the kernel could return is not needed.
                msghdr message = new()
                {
                    msg_name = &peer,
                    msg_namelen = (uint)sizeof(UdpEndPoint),
                    msg_control = control,
                    msg_controllen = ControlMessages.MaxReceivedBytes,
                };
                const int flags = SysSocket.MSG_ERRQUEUE | SysSocket.MSG_DONTWAIT;
                if (SysSocket.recvmsg(context.Descriptor, &message, flags) < 0) break;
                Debug.Assert(message.msg_controllen <= ControlMessages.MaxReceivedBytes);
                UdpEndPoint.Normalize(ref peer);
                hadError |= KeepErrors(peer, new ReadOnlySpan<byte>(control, (int)message.msg_controllen));
                count++;
            }
        }

        return count > 0;
    }

    /// <summary>
    /// Reads the error from a control message of the queue. Returns false if the message is not an error: the queue may
    /// also contain time stamps of sends and completions of zero-copy sends (errqueue.h).
    /// </summary>
    public static bool TryReadError(in ControlMessage message, out sock_extended_err error)
    {
        error = default;
        bool isError = (message.Level, message.Type) is (In.SOL_IP, In.IP_RECVERR) or (In.SOL_IPV6, In.IPV6_RECVERR);
        if (!isError || message.Data.Length < sizeof(sock_extended_err)) return false;
        error = MemoryMarshal.Read<sock_extended_err>(message.Data);
        return error.ee_origin <= ErrQueue.SO_EE_ORIGIN_ICMP6;
    }

    private bool KeepErrors(in UdpEndPoint peer, ReadOnlySpan<byte> control)
    {
        Debug.Assert(Monitor.IsEntered(_kept) && _kept.Count <= MaxKeptCount);
        bool any = false;
        var reader = new ControlMessageReader(control);
        while (reader.TryRead(out ControlMessage message))
        {
            if (!TryReadError(message, out sock_extended_err error)) continue;
            any = true;
            if (_kept.Count == MaxKeptCount) _kept.Dequeue();
            _kept.Enqueue(ToIcmpError(peer, error, message.Data[sizeof(sock_extended_err)..]));
        }

        return any;
    }

    private static UdpIcmpError ToIcmpError(
        in UdpEndPoint peer, in sock_extended_err error, ReadOnlySpan<byte> offender)
    {
        bool isIcmp = error.ee_origin is ErrQueue.SO_EE_ORIGIN_ICMP or ErrQueue.SO_EE_ORIGIN_ICMP6;
        SocketError socketError = ErrnoPolicy.ToSocketError((int)error.ee_errno);
        UdpEndPoint reporter = default;
        if (isIcmp && offender.Length >= UdpEndPoint.NativeBytesOfIPv4)
        {
            offender[..Math.Min(offender.Length, sizeof(UdpEndPoint))].CopyTo(
                MemoryMarshal.AsBytes(new Span<UdpEndPoint>(ref reporter)));
            UdpEndPoint.Normalize(ref reporter);
        }

        return new UdpIcmpError
        {
            Peer = peer,
            Error = socketError,
            IcmpType = isIcmp ? error.ee_type : null,
            IcmpCode = isIcmp ? error.ee_code : null,
            PathMtuBytes =
                socketError == SocketError.MessageSize ? (int)Math.Min(error.ee_info, int.MaxValue) : null,
            Reporter = reporter.Address,
        };
    }
}
