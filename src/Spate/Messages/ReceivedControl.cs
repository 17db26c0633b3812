using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;

namespace Spate.Messages;

/// <summary>
/// Reads the control messages of a received message. The result depends only on the arguments. Never reads outside the
/// span, whatever bytes the span contains.
/// </summary>
internal static class ReceivedControl
{
    /// <summary>
    /// Returns the segment size; 0 means that the buffer contains a single datagram. For sockets that requested no
    /// metadata.
    /// </summary>
    public static int SegmentBytes(ReadOnlySpan<byte> control)
    {
        if (control.Length < ControlMessages.HeaderBytes + sizeof(int)) return 0;
        ref readonly cmsghdr header = ref MemoryMarshal.AsRef<cmsghdr>(control);
        if (header.cmsg_level != Udp.SOL_UDP || header.cmsg_type != Udp.UDP_GRO) return LaterSegmentBytes(control);

        // The value is an int here, unlike the 16-bit value of UDP_SEGMENT (net/ipv4/udp.c, udp_cmsg_recv).
        return MemoryMarshal.Read<int>(control[ControlMessages.HeaderBytes..]);
    }

    // Searches all control messages for the segment size. Messages of the socket level come before the segment size
    // (net/ipv4/udp.c, udp_recvmsg: sock_recv_cmsgs before udp_cmsg_recv).
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

    /// <summary>
    /// Reads all metadata into <paramref name="info"/>. Returns the segment size; 0 means a single datagram.
    /// </summary>
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
                    info.LocalAddress = UdpAddress.FromNativeIPv4(v4.ipi_addr.s_addr);

                    // ipi_spec_dst is an address of this machine, even if the datagram was a broadcast
                    // (fib_compute_spec_dst). It is 0.0.0.0 if the kernel finds no such address.
                    info.ReplyAddress = v4.ipi_spec_dst.s_addr != 0
                        ? UdpAddress.FromNativeIPv4(v4.ipi_spec_dst.s_addr)
                        : default;
                    break;
                case (In.SOL_IPV6, In.IPV6_PKTINFO) when data.Length >= 20:
                    int index = MemoryMarshal.Read<int>(data[16..]);
                    info.InterfaceIndex = index;
                    info.LocalAddress = UdpAddress.FromNativeIPv6(data[..16], (uint)index);

                    // For an IPv4 datagram, IP_PKTINFO comes after this message and overwrites these values
                    // (udpv6_recvmsg).
                    info.ReplyAddress = info.LocalAddress.IsMulticast ? default : info.LocalAddress;
                    break;
                case (In.SOL_IP, In.IP_TOS) when data.Length >= 1:
                    // IP_TOS has one byte here, not an int (ip_cmsg_recv_tos).
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
