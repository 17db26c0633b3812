using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Spate;

public readonly partial struct UdpEndPoint
{
    /// <summary>Converts from the framework's endpoint class. An IPv4-mapped IPv6 address becomes plain IPv4.</summary>
    /// <param name="endPoint">The endpoint to convert.</param>
    /// <returns>The same address, port and scope.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="endPoint"/> is null.</exception>
    public static UdpEndPoint FromIPEndPoint(IPEndPoint endPoint)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        return new UdpEndPoint(endPoint.Address, endPoint.Port);
    }

    /// <summary>
    /// Converts from the framework's native address. An IPv4-mapped IPv6 address becomes plain IPv4; flow information
    /// is dropped. Allocates nothing.
    /// </summary>
    /// <param name="address">An IPv4 address of at least 16 bytes or an IPv6 address of at least 28 bytes.</param>
    /// <returns>The same address, port and scope.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="address"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="address"/> is of another family or is too short.</exception>
    public static UdpEndPoint FromSocketAddress(SocketAddress address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return TryFromSocketAddress(address, out UdpEndPoint endPoint)
            ? endPoint
            : throw new ArgumentException(
                $"A socket address of family {address.Family} and {address.Size} bytes is not a UDP endpoint; " +
                $"expected InterNetwork with {NativeBytesOfIPv4} bytes or InterNetworkV6 with {NativeBytesOfIPv6}.",
                nameof(address));
    }

    /// <summary>Converts from the framework's native address if it is IPv4 or IPv6. Allocates nothing.</summary>
    /// <param name="address">The address to convert; may be null.</param>
    /// <param name="endPoint">The same address, port and scope; the default value on failure.</param>
    /// <returns>False if the address is null, of another family, or too short.</returns>
    public static bool TryFromSocketAddress([NotNullWhen(true)] SocketAddress? address, out UdpEndPoint endPoint)
    {
        endPoint = default;
        (ushort familyWord, int nativeBytes) = address?.Family switch
        {
            AddressFamily.InterNetwork => (NativeFamily.IPv4Word, NativeBytesOfIPv4),
            AddressFamily.InterNetworkV6 => (NativeFamily.IPv6Word, NativeBytesOfIPv6),
            _ => default,
        };
        if (familyWord == 0 || address!.Size < nativeBytes) return false;
        Span<byte> native = MemoryMarshal.AsBytes(new Span<UdpEndPoint>(ref endPoint));
        MemoryMarshal.Write(native, in familyWord);
        address.Buffer.Span[sizeof(ushort)..nativeBytes].CopyTo(native[sizeof(ushort)..]);
        Normalize(ref endPoint);
        return true;
    }

    /// <summary>Converts to the framework's endpoint class. Allocates the endpoint and its address.</summary>
    /// <returns>The same address, port and scope.</returns>
    /// <exception cref="InvalidOperationException">This is the default value, which has no address.</exception>
    public IPEndPoint ToIPEndPoint()
    {
        ThrowIfDefault();
        return new IPEndPoint(Address.ToIPAddress(), Port);
    }

    /// <summary>Converts to the framework's native address. Allocates the address.</summary>
    /// <returns>The same address, port and scope: 16 bytes for IPv4, 28 for IPv6.</returns>
    /// <exception cref="InvalidOperationException">This is the default value, which has no address.</exception>
    public SocketAddress ToSocketAddress()
    {
        ThrowIfDefault();
        var address = new SocketAddress(AddressFamily, NativeLength);
        NativeBytes[sizeof(ushort)..].CopyTo(address.Buffer.Span[sizeof(ushort)..]);
        return address;
    }
}
