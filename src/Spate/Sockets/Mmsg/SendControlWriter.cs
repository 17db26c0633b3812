using System.Diagnostics;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Mmsg;

/// <summary>Writes the control messages that the options of a datagram need. Has no state of its own.</summary>
internal static class SendControlWriter
{
    /// <summary>
    /// The most bytes that <see cref="Write"/> writes: 40 for IPV6_PKTINFO, and 24 each for IPV6_TCLASS, IPV6_HOPLIMIT
    /// and SCM_TXTIME. The control messages of IPv4 are not longer.
    /// </summary>
    public const int MaxBytes = 112;

    /// <summary>Writes the control messages. Returns the number of bytes written.</summary>
    /// <param name="room">The destination of the control messages.</param>
    /// <param name="control">The options of the datagram; an option that is not set needs no control message.</param>
    /// <param name="isIPv4">Whether the datagram is sent over IPv4, which an IPv6 socket can do too.</param>
    public static int Write(Span<byte> room, in SendControl control, bool isIPv4)
    {
        var writer = new ControlMessageWriter(room);
        if (control.TrafficClass is { } trafficClass)
        {
            if (isIPv4) writer.Add(In.SOL_IP, In.IP_TOS, trafficClass);
            else writer.Add(In.SOL_IPV6, In.IPV6_TCLASS, trafficClass);
        }

        if (control.TimeToLive is { } timeToLive)
        {
            if (isIPv4) writer.Add(In.SOL_IP, In.IP_TTL, timeToLive);
            else writer.Add(In.SOL_IPV6, In.IPV6_HOPLIMIT, timeToLive);
        }

        if (control.TransmitTimeMonotonicNanoseconds is { } time)
        {
            // The value is 64 bits long on every machine (net/core/sock.c, __sock_cmsg_send).
            writer.Add(SysSocket.SOL_SOCKET, SysSocket.SCM_TXTIME, time);
        }

        if (control.InterfaceIndex is null && control.LocalAddress.IsDefault) return writer.Length;
        if (isIPv4)
        {
            in_pktinfo info = default;
            info.ipi_ifindex = control.InterfaceIndex ?? 0;
            info.ipi_spec_dst.s_addr = control.LocalAddress.NativeIPv4;
            writer.Add(In.SOL_IP, In.IP_PKTINFO, info);
        }
        else
        {
            in6_pktinfo info = default;
            Span<byte> address = MemoryMarshal.AsBytes(new Span<in6_addr>(ref info.ipi6_addr));
            if (control.LocalAddress.IsIPv6) control.LocalAddress.TryWriteBytes(address, out _);
            info.ipi6_ifindex = (uint)(control.InterfaceIndex ?? 0);
            writer.Add(In.SOL_IPV6, In.IPV6_PKTINFO, info);
        }

        Debug.Assert(writer.Length <= MaxBytes);
        return writer.Length;
    }
}
