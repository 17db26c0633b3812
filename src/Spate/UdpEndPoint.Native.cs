using System.Buffers.Binary;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Spate;

public readonly partial struct UdpEndPoint
{
    /// <summary>The native address in memory, <see cref="NativeLength"/> bytes.</summary>
    [UnscopedRef]
    internal ReadOnlySpan<byte> NativeBytes =>
        MemoryMarshal.AsBytes(MemoryMarshal.CreateReadOnlySpan(in this, 1))[..NativeLength];

    /// <summary>The address in the kernel's layout <c>in_addr</c>; 0 if it is not IPv4.</summary>
    internal uint NativeIPv4 => IsIPv4 ? _networkIPv4 : 0;

    /// <summary>Whether the address is in <c>169.254.0.0/16</c> or in <c>fe80::/10</c>.</summary>
    internal bool IsLinkLocal => IsIPv4
        ? SwapToNetwork(_networkIPv4) >> 16 == 0xA9FE
        : IsIPv6 && SwapToNetwork(_networkIPv6First) >> 54 == 0x3FA;

    /// <summary>
    /// Whether all bytes that this family does not use are zero, and the address is not an IPv4-mapped one.
    /// </summary>
    private bool IsNormal => IsIPv6
        ? _networkIPv4 == 0 && !IsMapped
        : (_networkIPv6First | _networkIPv6Last | _scopeId) == 0 && (IsIPv4 || Head == 0);

    /// <summary>
    /// Returns the form of the endpoint that a dual-stack IPv6 socket accepts: IPv4 as <c>::ffff:a.b.c.d</c>, any other
    /// address unchanged. The result is only for calls to the system. It is not in normal form, so it does not equal
    /// the endpoint from which it was made.
    /// </summary>
    internal UdpEndPoint ToMapped()
    {
        if (!IsIPv4) return this;
        ulong last = SwapToNetwork(((ulong)MappedPrefix << 32) | SwapToNetwork(_networkIPv4));
        return new UdpEndPoint(NativeFamily.IPv6Word, Port, 0, 0, last, 0);
    }

    /// <summary>
    /// Brings an endpoint into normal form, in place, after the system has written it. IPv4-mapped becomes IPv4; the
    /// unused bytes of IPv4 and the flow information of IPv6 become zero. For an address that is not mapped, the cost
    /// is a comparison and a few stores. An endpoint of any other family becomes the default value.
    /// </summary>
    internal static void Normalize(ref UdpEndPoint endPoint)
    {
        if (endPoint.IsIPv6)
        {
            if (endPoint.IsMapped) endPoint = endPoint.FromMapped();
            else
                Unsafe.AsRef(in endPoint._networkIPv4) = 0;
        }
        else if (endPoint.IsIPv4)
        {
            // Bytes 8 to 15 are the padding of an IPv4 address (sin_zero). The system writes only the first 16 bytes,
            // so bytes 16 to 27 may still contain the end of an earlier IPv6 address.
            Unsafe.AsRef(in endPoint._networkIPv6First) = 0;
            Unsafe.AsRef(in endPoint._networkIPv6Last) = 0;
            Unsafe.AsRef(in endPoint._scopeId) = 0;
        }
        else
        {
            endPoint = default;
        }

        Debug.Assert(endPoint.IsNormal);
    }

    private UdpEndPoint FromMapped() =>
        FromIPv4(SwapToNetwork((uint)SwapToNetwork(_networkIPv6Last)), Port);

    private static ushort SwapToNetwork(ushort value) =>
        BitConverter.IsLittleEndian ? BinaryPrimitives.ReverseEndianness(value) : value;

    private static uint SwapToNetwork(uint value) =>
        BitConverter.IsLittleEndian ? BinaryPrimitives.ReverseEndianness(value) : value;

    private static ulong SwapToNetwork(ulong value) =>
        BitConverter.IsLittleEndian ? BinaryPrimitives.ReverseEndianness(value) : value;

    /// <summary>
    /// The first two bytes of a socket address on this system, and the values of AF_INET and AF_INET6. In the BSD
    /// layout of Apple's systems, <c>sa_len</c> is at offset 0 and a one-byte family at offset 1; on other systems both
    /// bytes are the family. The getters are forced inline, because only then the JIT folds them to a constant.
    /// Otherwise each datagram would cost several method calls.
    /// </summary>
    internal static class NativeFamily
    {
        /// <summary>AF_INET: 2 on every system.</summary>
        internal const int IPv4 = 2;

        /// <summary>AF_INET6: 10 on Linux (bits/socket.h), 23 on Windows (ws2def.h), 30 on Apple's systems.</summary>
        internal static int IPv6
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => OperatingSystem.IsWindows() ? 23 : HasLengthByte ? 30 : 10;
        }

        /// <summary>The first two bytes of a <c>sockaddr_in</c>, read in this machine's byte order.</summary>
        internal static ushort IPv4Word
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => FirstWord(IPv4, NativeBytesOfIPv4, HasLengthByte);
        }

        /// <summary>The first two bytes of a <c>sockaddr_in6</c>, read in this machine's byte order.</summary>
        internal static ushort IPv6Word
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => FirstWord(IPv6, NativeBytesOfIPv6, HasLengthByte);
        }

        private static bool HasLengthByte
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get => OperatingSystem.IsMacOS() || OperatingSystem.IsMacCatalyst() ||
                OperatingSystem.IsIOS() || OperatingSystem.IsTvOS();
        }

        /// <summary>
        /// The first two bytes as one word. Apple's systems are all little-endian, so the length byte is the low byte.
        /// </summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal static ushort FirstWord(int family, int nativeBytes, bool hasLengthByte) =>
            (ushort)(hasLengthByte ? (family << 8) | nativeBytes : family);
    }
}
