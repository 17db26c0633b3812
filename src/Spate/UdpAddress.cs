using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Spate;

/// <summary>An IPv4 or IPv6 address without a port, as a value.</summary>
/// <remarks>
/// <para>
/// <see cref="UdpEndPoint.Address"/> is the address of an endpoint, and <see cref="UdpEndPoint(UdpAddress, int)"/> adds
/// a port. Creating, copying, comparing and hashing allocate nothing, unlike with <see cref="IPAddress"/>.
/// </para>
/// <para>
/// Every value has one normal form, as an endpoint has: an IPv4-mapped IPv6 address (<c>::ffff:1.2.3.4</c>) is kept as
/// plain IPv4. The scope of an IPv6 address is part of the value. <see langword="default"/> is not an address: see
/// <see cref="IsDefault"/>.
/// </para>
/// <para>Values are immutable and safe to use from any thread.</para>
/// </remarks>
public readonly partial struct UdpAddress :
    IEquatable<UdpAddress>,
    ISpanParsable<UdpAddress>,
    IUtf8SpanParsable<UdpAddress>,
    ISpanFormattable,
    IUtf8SpanFormattable
{
    internal const int BytesOfIPv6 = 16;

    private const int BytesOfIPv4 = 4;

    // The port is always 0, so equal addresses have equal bytes.
    private readonly UdpEndPoint _endPoint;

    /// <summary>Creates an address from its bytes. An IPv4-mapped IPv6 address becomes plain IPv4.</summary>
    /// <param name="address">The address in network order: 4 bytes for IPv4, 16 for IPv6.</param>
    /// <param name="scopeId">The number of the interface to which an IPv6 address belongs; 0 for none.</param>
    /// <exception cref="ArgumentException">
    /// <paramref name="address"/> has another length, or a scope is given for an IPv4 address of 4 bytes.
    /// </exception>
    public UdpAddress(ReadOnlySpan<byte> address, uint scopeId = 0)
    {
        if (address.Length == BytesOfIPv6)
        {
            _endPoint = UdpEndPoint.FromIPv6(address, port: 0, scopeId);
            return;
        }
        if (address.Length != BytesOfIPv4)
        {
            throw new ArgumentException(
                $"An IPv4 address has 4 bytes and an IPv6 address 16, not {address.Length}.", nameof(address));
        }
        if (scopeId != 0) throw new ArgumentException("An IPv4 address has no scope.", nameof(scopeId));
        _endPoint = UdpEndPoint.FromIPv4(MemoryMarshal.Read<uint>(address), port: 0);
    }

    /// <summary>Takes the address of an endpoint.</summary>
    internal UdpAddress(in UdpEndPoint endPoint) => _endPoint = endPoint.WithoutPort();

    /// <summary>The address <c>0.0.0.0</c>: all IPv4 addresses of this host.</summary>
    public static UdpAddress Any => FromNativeIPv4(0);

    /// <summary>The address <c>::</c>: all IPv6 addresses of this host.</summary>
    public static UdpAddress IPv6Any => new(stackalloc byte[BytesOfIPv6]);

    /// <summary>The IPv4 loopback address <c>127.0.0.1</c>, which only this host reaches.</summary>
    public static UdpAddress Loopback => new(UdpEndPoint.Loopback(0));

    /// <summary>The IPv6 loopback address <c>::1</c>, which only this host reaches.</summary>
    public static UdpAddress IPv6Loopback => new(UdpEndPoint.IPv6Loopback(0));

    /// <summary>The family of the address; <see cref="AddressFamily.Unspecified"/> for the default value.</summary>
    public AddressFamily AddressFamily => _endPoint.AddressFamily;

    /// <summary>
    /// The number of the interface to which an IPv6 address belongs (<c>sin6_scope_id</c>); 0 if it has no scope, and
    /// for IPv4.
    /// </summary>
    public uint ScopeId => _endPoint.ScopeId;

    /// <summary>Whether the address is IPv4, which includes every IPv4-mapped IPv6 address.</summary>
    public bool IsIPv4 => _endPoint.IsIPv4;

    /// <summary>Whether the address is IPv6.</summary>
    public bool IsIPv6 => _endPoint.IsIPv6;

    /// <summary>Whether this is the default value, which has no family and no address.</summary>
    public bool IsDefault => _endPoint.IsDefault;

    /// <summary>Whether the address is <c>0.0.0.0</c> or <c>::</c>. False for the default value.</summary>
    public bool IsUnspecified => _endPoint.IsUnspecified;

    /// <summary>Whether the address is in <c>127.0.0.0/8</c> or is <c>::1</c>.</summary>
    public bool IsLoopback => _endPoint.IsLoopback;

    /// <summary>Whether the address is in <c>224.0.0.0/4</c> or in <c>ff00::/8</c>.</summary>
    public bool IsMulticast => _endPoint.IsMulticast;

    /// <summary>
    /// Whether the address is <c>255.255.255.255</c>. The broadcast address of a subnet is known only to the hosts of
    /// that subnet, and is not recognised here.
    /// </summary>
    public bool IsBroadcast => _endPoint.IsBroadcast;

    /// <summary>Whether the address is in <c>169.254.0.0/16</c> or in <c>fe80::/10</c>.</summary>
    internal bool IsLinkLocal => _endPoint.IsLinkLocal;

    /// <summary>The address in the kernel's layout <c>in_addr</c>; 0 if it is not IPv4.</summary>
    internal uint NativeIPv4 => _endPoint.NativeIPv4;

    /// <summary>The address with port 0 in the kernel's layout.</summary>
    [UnscopedRef]
    internal ref readonly UdpEndPoint EndPoint => ref _endPoint;

    /// <summary>Whether family, address and scope are the same. An IPv4-mapped address equals its IPv4 form.</summary>
    /// <param name="left">One address.</param>
    /// <param name="right">The other address.</param>
    /// <returns>True if the addresses are equal.</returns>
    public static bool operator ==(in UdpAddress left, in UdpAddress right) => left.Equals(in right);

    /// <summary>Whether family, address or scope differ.</summary>
    /// <param name="left">One address.</param>
    /// <param name="right">The other address.</param>
    /// <returns>True if the addresses differ.</returns>
    public static bool operator !=(in UdpAddress left, in UdpAddress right) => !left.Equals(in right);

    /// <summary>Converts from the framework's address class. An IPv4-mapped IPv6 address becomes plain IPv4.</summary>
    /// <param name="address">An IPv4 or IPv6 address; the scope of an IPv6 address is kept.</param>
    /// <returns>The same address and scope.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="address"/> is null.</exception>
    public static UdpAddress FromIPAddress(IPAddress address) => new(new UdpEndPoint(address, 0));

    /// <summary>Converts to the framework's address class. Allocates the address.</summary>
    /// <returns>The same address and scope.</returns>
    /// <exception cref="InvalidOperationException">This is the default value, which is not an address.</exception>
    public IPAddress ToIPAddress()
    {
        Span<byte> bytes = stackalloc byte[BytesOfIPv6];
        if (!TryWriteBytes(bytes, out int bytesWritten))
        {
            throw new InvalidOperationException("The default UdpAddress is not an address; check IsDefault first.");
        }
        return IsIPv4 ? new IPAddress(bytes[..bytesWritten]) : new IPAddress(bytes, ScopeId);
    }

    /// <summary>Writes the address in network order: 4 bytes for IPv4, 16 for IPv6. Allocates nothing.</summary>
    /// <param name="destination">The buffer for the address.</param>
    /// <param name="bytesWritten">The number of bytes written: 4 or 16, or 0 if nothing was written.</param>
    /// <returns>
    /// False if <paramref name="destination"/> is too small or this is the default value, which is not an address.
    /// </returns>
    public bool TryWriteBytes(Span<byte> destination, out int bytesWritten) =>
        _endPoint.TryWriteAddressBytes(destination, out bytesWritten);

    /// <summary>Whether family, address and scope are the same. An IPv4-mapped address equals its IPv4 form.</summary>
    /// <param name="other">The address to compare with.</param>
    /// <returns>True if the addresses are equal.</returns>
    public bool Equals(UdpAddress other) => Equals(in other);

    /// <summary>Whether the other object is an address with the same family, bytes and scope.</summary>
    /// <param name="obj">The object to compare with.</param>
    /// <returns>True if the object is an equal address.</returns>
    public override bool Equals([NotNullWhen(true)] object? obj) => obj is UdpAddress other && Equals(in other);

    /// <summary>
    /// A hash (SipHash-1-3) with a key that this process chose at random, so that peers cannot choose addresses that
    /// collide in a table. The hash differs from process to process: do not store it.
    /// </summary>
    /// <returns>The hash.</returns>
    public override int GetHashCode() => _endPoint.GetHashCode();

    /// <summary>Compares all bytes, without copying and without branches.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Equals(in UdpAddress other) => _endPoint.Equals(in other._endPoint);

    /// <summary>Creates an IPv4 address from an <c>in_addr</c>.</summary>
    internal static UdpAddress FromNativeIPv4(uint networkAddress) =>
        new(UdpEndPoint.FromIPv4(networkAddress, port: 0));

    /// <summary>
    /// Creates an IPv6 address from an <c>in6_addr</c>, in normal form. The scope is kept only for link-local
    /// addresses, which need it.
    /// </summary>
    internal static UdpAddress FromNativeIPv6(ReadOnlySpan<byte> networkAddress, uint interfaceIndex)
    {
        bool isLinkLocal = networkAddress[0] == 0xFE && (networkAddress[1] & 0xC0) == 0x80;
        return new UdpAddress(networkAddress, isLinkLocal ? interfaceIndex : 0);
    }
}
