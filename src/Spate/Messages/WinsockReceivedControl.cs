using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Windows;

namespace Spate.Messages;

/// <summary>
/// The counterpart of <see cref="ReceivedControl"/> for Windows. The layout of control messages is the same on 64-bit
/// systems; levels, types and values differ (ws2ipdef.h).
/// </summary>
internal static class WinsockReceivedControl
{
    /// <summary>Returns the segment size; 0 means a single datagram, or a size that the system did not give.</summary>
    public static int SegmentBytes(ReadOnlySpan<byte> control)
    {
        var reader = new ControlMessageReader(control);
        while (reader.TryRead(out ControlMessage message))
        {
            bool isSize = message.Level == Ws2IpDef.IPPROTO_UDP && message.Type == Ws2IpDef.UDP_COALESCED_INFO;
            if (isSize && message.Data.Length >= sizeof(int)) return MemoryMarshal.Read<int>(message.Data);
        }

        return 0;
    }

    /// <summary>
    /// Reads all metadata into <paramref name="info"/>. Returns the segment size; 0 means a single datagram, or a size
    /// that the system did not give.
    /// </summary>
    /// <param name="control">The control messages.</param>
    /// <param name="isToMany">
    /// Whether the datagram was a broadcast or a multicast (MSG_BCAST, MSG_MCAST). Windows does not report which of its
    /// addresses can answer it.
    /// </param>
    /// <param name="info">Receives the metadata.</param>
    public static int Read(ReadOnlySpan<byte> control, bool isToMany, ref DatagramInfo info)
    {
        int segmentBytes = 0;
        var reader = new ControlMessageReader(control);
        while (reader.TryRead(out ControlMessage message))
        {
            ReadOnlySpan<byte> data = message.Data;
            switch (message.Level, message.Type)
            {
                case (Ws2IpDef.IPPROTO_UDP, Ws2IpDef.UDP_COALESCED_INFO) when data.Length >= sizeof(int):
                    segmentBytes = MemoryMarshal.Read<int>(data);
                    break;
                case (Ws2IpDef.IPPROTO_IP, Ws2IpDef.IP_PKTINFO) when data.Length >= 8:
                    IN_PKTINFO v4 = MemoryMarshal.Read<IN_PKTINFO>(data);
                    SetLocal(ref info, UdpAddress.FromNativeIPv4(v4.ipi_addr), v4.ipi_ifindex, isToMany);
                    break;
                case (Ws2IpDef.IPPROTO_IPV6, Ws2IpDef.IPV6_PKTINFO) when data.Length >= 20:
                    uint index = MemoryMarshal.Read<uint>(data[16..]);
                    SetLocal(ref info, UdpAddress.FromNativeIPv6(data[..16], index), index, isToMany);
                    break;
                case (Ws2IpDef.IPPROTO_IP, Ws2IpDef.IP_TOS or Ws2IpDef.IP_ECN):
                case (Ws2IpDef.IPPROTO_IPV6, Ws2IpDef.IPV6_TCLASS or Ws2IpDef.IPV6_ECN):
                    if (TryReadByte(data, out int trafficClass)) info.TrafficClass = trafficClass;
                    break;
                case (Ws2IpDef.IPPROTO_IP, Ws2IpDef.IP_HOPLIMIT or Ws2IpDef.IP_TTL):
                case (Ws2IpDef.IPPROTO_IPV6, Ws2IpDef.IPV6_HOPLIMIT):
                    if (TryReadByte(data, out int timeToLive)) info.TimeToLive = timeToLive;
                    break;
            }
        }

        return segmentBytes;
    }

    private static void SetLocal(ref DatagramInfo info, UdpAddress local, uint interfaceIndex, bool isToMany)
    {
        info.InterfaceIndex = (int)interfaceIndex;
        info.LocalAddress = local;
        info.ReplyAddress = isToMany || local.IsMulticast || local.IsBroadcast ? default : local;
    }

    // Windows documents an int for all of these. Other systems write a byte.
    private static bool TryReadByte(ReadOnlySpan<byte> data, out int value)
    {
        value = data.Length >= sizeof(int) ? MemoryMarshal.Read<int>(data) & 0xFF : data.Length > 0 ? data[0] : 0;
        return data.Length > 0;
    }
}
