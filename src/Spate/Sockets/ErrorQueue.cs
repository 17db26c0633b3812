using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets;

/// <summary>
/// The queue of errors that a Linux socket has once IP_RECVERR or a time stamp was asked for (ip.7), for both pair of
/// a socket. What lies in it takes room of the receive buffer and ends every poll at once, so both pair empty it. The
/// ICMP errors among it are kept in a bounded list until the application asks; the oldest give way. On other systems
/// nothing is ever there.
/// </summary>
internal unsafe class ErrorQueue(SocketContext context)
{
    /// <summary>The most that one call takes: more may come as fast as they are taken.</summary>
    public const int MaxDrainCount = 256;

    private const int MaxKeptCount = 256;

    private readonly Queue<UdpIcmpError> _kept = new();

    /// <summary>Takes the next ICMP error.</summary>
    public bool TryTake(out UdpIcmpError error)
    {
        lock (_kept)
        {
            if (_kept.Count == 0) Drain(out _);
            return _kept.TryDequeue(out error);
        }
    }

    /// <summary>Empties the queue. Counts an ICMP error in it, of which no call tells any more.</summary>
    public void DrainAndCount()
    {
        Drain(out bool hadError);
        if (hadError) context.Counters.CountIcmpError();
    }

    /// <summary>Empties the queue.</summary>
    /// <param name="hadError">Whether an ICMP error was in it.</param>
    /// <returns>Whether anything was in it.</returns>
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

                // SAFETY: the header and what it points to lie on the stack, with their sizes. The payload that comes
                // back is not asked for (no iovec).
                msghdr message = new()
                {
                    msg_name = &peer,
                    msg_namelen = (uint)sizeof(UdpEndPoint),
                    msg_control = control,
                    msg_controllen = ControlMessages.MaxReceivedBytes,
                };
                const int flags = SysSocket.MSG_ERRQUEUE | SysSocket.MSG_DONTWAIT;
                if (SysSocket.recvmsg(context.Descriptor, &message, flags) < 0) break;
                UdpEndPoint.Normalize(ref peer);
                hadError |= KeepErrors(peer, new ReadOnlySpan<byte>(control, (int)message.msg_controllen));
                count++;
            }
        }

        return count > 0;
    }

    /// <summary>
    /// Reads the error that a message of the queue tells. The same queue holds time stamps of sends and the ends of
    /// zero-copy sends (errqueue.h), which are none.
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
        if (isIcmp && offender.Length >= sizeof(sockaddr_in))
        {
            offender[..Math.Min(offender.Length, sizeof(UdpEndPoint))].CopyTo(
                MemoryMarshal.AsBytes(new Span<UdpEndPoint>(ref reporter)));
            UdpEndPoint.Normalize(ref reporter);
        }

        return new UdpIcmpError
        {
            Peer = peer,
            Error = socketError,
            IcmpType = isIcmp ? error.ee_type : 0,
            IcmpCode = isIcmp ? error.ee_code : 0,
            PathMtuBytes =
                socketError == SocketError.MessageSize ? (int)Math.Min(error.ee_info, int.MaxValue) : 0,
            Reporter = reporter,
        };
    }
}
