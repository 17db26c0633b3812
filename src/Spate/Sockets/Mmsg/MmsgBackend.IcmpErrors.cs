using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// ICMP errors with the peer they are about, read from the socket's error queue (ip.7, IP_RECVERR). Kept in a bounded
/// list until the application asks; the oldest give way.
/// </summary>
internal sealed unsafe partial class MmsgBackend<TCalls>
{
    private const int IcmpErrorCountMax = 256;

    private readonly Queue<UdpIcmpError> _icmpErrors = new();

    /// <inheritdoc/>
    public override bool TryReceiveIcmpError(out UdpIcmpError error)
    {
        lock (_icmpErrors)
        {
            if (_icmpErrors.Count == 0) DrainErrorQueue();
            return _icmpErrors.TryDequeue(out error);
        }
    }

    /// <inheritdoc/>
    public override void ReadErrorQueue() => DrainErrorQueue();

    // What is read here is told by no call any more.
    private void DrainAndCount()
    {
        if (DrainErrorQueue()) Context.Counters.CountIcmpError();
    }

    /// <summary>Whether an ICMP error was there.</summary>
    private bool DrainErrorQueue()
    {
        byte* control = stackalloc byte[ControlMessages.ReceivedBytesMax];
        bool any = false;
        lock (_icmpErrors)
        {
            for (int i = 0; i < ErrorQueue.CountMax; i++)
            {
                UdpEndPoint peer = default;
                msghdr message = new()
                {
                    msg_name = &peer,
                    msg_namelen = (uint)sizeof(UdpEndPoint),
                    msg_control = control,
                    msg_controllen = ControlMessages.ReceivedBytesMax,
                };

                // SAFETY: everything lies on the stack. The payload that comes back is not asked for (no iovec).
                const int flags = SysSocket.MSG_ERRQUEUE | SysSocket.MSG_DONTWAIT;
                int result = _calls.ReceiveMessage(_descriptor, &message, flags);
                if (result < 0) return any;
                UdpEndPoint.Normalize(ref peer);
                any |= TryKeep(peer, new ReadOnlySpan<byte>(control, (int)message.msg_controllen));
            }
        }

        return any;
    }

    private bool TryKeep(in UdpEndPoint peer, ReadOnlySpan<byte> control)
    {
        bool any = false;
        var reader = new ControlMessageReader(control);
        while (reader.TryRead(out ControlMessage message))
        {
            if (!ErrorQueue.TryReadError(message, out sock_extended_err error)) continue;
            any = true;
            bool isIcmp = error.ee_origin is ErrQueue.SO_EE_ORIGIN_ICMP or ErrQueue.SO_EE_ORIGIN_ICMP6;
            bool isTooBig = ErrnoPolicy.ToSocketError((int)error.ee_errno) == SocketError.MessageSize;
            UdpEndPoint reporter = default;
            ReadOnlySpan<byte> offender = message.Data[sizeof(sock_extended_err)..];
            if (isIcmp && offender.Length >= sizeof(sockaddr_in))
            {
                offender[..Math.Min(offender.Length, sizeof(UdpEndPoint))].CopyTo(
                    MemoryMarshal.AsBytes(new Span<UdpEndPoint>(ref reporter)));
                UdpEndPoint.Normalize(ref reporter);
            }

            if (_icmpErrors.Count == IcmpErrorCountMax) _icmpErrors.Dequeue();
            _icmpErrors.Enqueue(new UdpIcmpError(
                peer,
                ErrnoPolicy.ToSocketError((int)error.ee_errno),
                isIcmp ? error.ee_type : 0,
                isIcmp ? error.ee_code : 0,
                isTooBig ? (int)Math.Min(error.ee_info, int.MaxValue) : 0,
                reporter));
        }

        return any;
    }
}
