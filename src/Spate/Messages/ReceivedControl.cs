using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;

namespace Spate.Messages;

/// <summary>
/// Reads the control messages of a received message. Pure; never reads outside the span, whatever its bytes.
/// </summary>
internal static class ReceivedControl
{
    /// <summary>The segment size, if no metadata was requested; 0: a single datagram.</summary>
    public static int SegmentBytes(ReadOnlySpan<byte> control)
    {
        if (control.Length < ControlMessages.HeaderBytes + sizeof(int)) return 0;
        ref readonly cmsghdr header = ref MemoryMarshal.AsRef<cmsghdr>(control);
        if (header.cmsg_level != Udp.SOL_UDP || header.cmsg_type != Udp.UDP_GRO) return LaterSegmentBytes(control);

        // An int, unlike the u16 of UDP_SEGMENT (net/ipv4/udp.c, udp_cmsg_recv).
        return MemoryMarshal.Read<int>(control[ControlMessages.HeaderBytes..]);
    }

    // Control messages of the socket level come first (net/ipv4/udp.c, udp_recvmsg: sock_recv_cmsgs before
    // udp_cmsg_recv).
    private static int LaterSegmentBytes(ReadOnlySpan<byte> control)
    {
        var reader = new ControlMessageReader(control);
        while (reader.TryRead(out ControlMessage message))
        {
            bool isSize = message.Level == Udp.SOL_UDP && message.Type == Udp.UDP_GRO;
            if (isSize && message.Data.Length >= sizeof(int)) return MemoryMarshal.Read<int>(message.Data);
        }

        return 0;
    }

    /// <summary>All metadata; the result is the segment size or 0.</summary>
    public static int Read(ReadOnlySpan<byte> control, ref DatagramInfo info)
    {
        int segmentBytes = 0;
        var reader = new ControlMessageReader(control);
        while (reader.TryRead(out ControlMessage message))
        {
            ReadOnlySpan<byte> data = message.Data;
            switch (message.Level, message.Type)
            {
                case (Udp.SOL_UDP, Udp.UDP_GRO) when data.Length >= sizeof(int):
                    segmentBytes = MemoryMarshal.Read<int>(data);
                    break;
                case (In.SOL_IP, In.IP_PKTINFO) when data.Length >= 12:
                    in_pktinfo v4 = MemoryMarshal.Read<in_pktinfo>(data);
                    info.InterfaceIndex = v4.ipi_ifindex;
                    info.LocalAddress = UdpEndPoint.FromNativeIPv4(v4.ipi_addr.s_addr);

                    // Also for broadcasts an address of this machine (fib_compute_spec_dst); 0.0.0.0 if it has none.
                    info.ReplyAddress = v4.ipi_spec_dst.s_addr != 0
                        ? UdpEndPoint.FromNativeIPv4(v4.ipi_spec_dst.s_addr)
                        : default;
                    break;
                case (In.SOL_IPV6, In.IPV6_PKTINFO) when data.Length >= 20:
                    info.InterfaceIndex = MemoryMarshal.Read<int>(data[16..]);
                    info.LocalAddress = UdpEndPoint.FromNativeIPv6(data[..16], (uint)info.InterfaceIndex);

                    // Of an IPv4 datagram this comes first and IP_PKTINFO after it (udpv6_recvmsg).
                    info.ReplyAddress = info.LocalAddress.IsMulticast ? default : info.LocalAddress;
                    break;
                case (In.SOL_IP, In.IP_TOS) when data.Length >= 1:
                    // One byte, not an int (ip_cmsg_recv_tos).
                    info.TrafficClass = data[0];
                    break;
                case (In.SOL_IPV6, In.IPV6_TCLASS) when data.Length >= sizeof(int):
                    info.TrafficClass = MemoryMarshal.Read<int>(data) & 0xFF;
                    break;
                case (In.SOL_IP, In.IP_TTL) when data.Length >= sizeof(int):
                case (In.SOL_IPV6, In.IPV6_HOPLIMIT) when data.Length >= sizeof(int):
                    info.TimeToLive = MemoryMarshal.Read<int>(data) & 0xFF;
                    break;
                case (SysSocket.SOL_SOCKET, SysSocket.SCM_TIMESTAMPNS) when data.Length >= 16:
                    timespec time = MemoryMarshal.Read<timespec>(data);
                    info.TimestampUnixNanoseconds = (time.tv_sec * 1_000_000_000) + time.tv_nsec;
                    break;
            }
        }

        return segmentBytes;
    }
}
