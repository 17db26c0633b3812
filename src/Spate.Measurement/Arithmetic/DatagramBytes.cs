namespace Spate.Measurement.Arithmetic;

/// <summary>What a UDP datagram takes of an Ethernet link (IEEE 802.3), without VLAN tags and IP options.</summary>
internal static class EthernetWire
{
    private const int UdpHeaderBytes = 8;
    private const int Ipv4HeaderBytes = 20;
    private const int Ipv6HeaderBytes = 40;
    private const int Ipv6FragmentHeaderBytes = 8;

    // Addresses and type, and the checksum; the least that a frame has with them.
    private const int FrameBytes = 14 + 4;
    private const int MinFrameBytes = 64;

    // Preamble with start delimiter, and the gap between two frames.
    private const int BetweenBytes = 8 + 12;

    // Fragments carry a multiple of this (RFC 791, RFC 8200).
    private const int FragmentUnitBytes = 8;

    /// <summary>The bytes on the wire for one datagram, or on average for several, with the gap behind it.</summary>
    /// <param name="mtuBytes">A larger datagram is cut; null for no cut.</param>
    public static double BytesOf(double payloadBytes, bool isIPv6, int? mtuBytes)
    {
        int headerBytes = isIPv6 ? Ipv6HeaderBytes : Ipv4HeaderBytes;
        double packetBytes = payloadBytes + UdpHeaderBytes;
        if (mtuBytes is not { } mtu || packetBytes + headerBytes <= mtu) return FrameOf(headerBytes + packetBytes);

        headerBytes += isIPv6 ? Ipv6FragmentHeaderBytes : 0;
        int room = (mtu - headerBytes) / FragmentUnitBytes * FragmentUnitBytes;
        if (room <= 0) return FrameOf(headerBytes + packetBytes);

        double whole = Math.Ceiling(packetBytes / room) - 1;
        return (whole * FrameOf(headerBytes + room)) + FrameOf(headerBytes + packetBytes - (whole * room));
    }

    private static double FrameOf(double packetBytes) =>
        Math.Max(MinFrameBytes, packetBytes + FrameBytes) + BetweenBytes;
}

/// <summary>The kernel's charge to a buffer for a datagram: its <c>truesize</c> (docs/tune/tuning.md).</summary>
internal static class KernelCharge
{
    private const int BookkeepingBytes = 1024;

    // Drivers that keep each datagram in half a page of 4 KiB (igb, ixgbe), with the 256 bytes of struct sk_buff.
    private const int HalfPageBytes = 2048 + 256;

    /// <summary>The most that is charged on the loopback: measured on Linux 6.18.</summary>
    public static int MaxLoopbackBytes(int sizeBytes) => (2 * sizeBytes) + BookkeepingBytes;

    /// <summary>What to plan with where datagrams come from a card.</summary>
    public static int PlannedBytes(int sizeBytes) => Math.Max(MaxLoopbackBytes(sizeBytes), HalfPageBytes);
}
