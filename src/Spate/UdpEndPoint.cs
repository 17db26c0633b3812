using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Hashing;

namespace Spate;

/// <summary>
/// The address and port of one end of a UDP conversation, as a value in the operating system's own layout.
/// </summary>
/// <remarks>
/// <para>
/// The 28 bytes are a <c>sockaddr_in</c> or a <c>sockaddr_in6</c> (Linux: ip(7), ipv6(7)), so batches pass endpoints to
/// the system and back without conversion. Creating, copying, comparing and hashing allocate nothing.
/// </para>
/// <para>
/// Every value has one normal form, which makes equality a comparison of bytes: an IPv4-mapped IPv6 address
/// (<c>::ffff:1.2.3.4</c>) is kept as plain IPv4, the bytes that IPv4 does not use are zero, and the IPv6 flow
/// information is zero. <see langword="default"/> has no address at all: see <see cref="IsDefault"/>.
/// </para>
/// <para>Values are immutable and safe to use from any thread.</para>
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = NativeBytesOfIPv6, Pack = 4)]
public readonly partial struct UdpEndPoint :
    IEquatable<UdpEndPoint>,
    ISpanParsable<UdpEndPoint>,
    IUtf8SpanParsable<UdpEndPoint>,
    ISpanFormattable,
    IUtf8SpanFormattable
{
    /// <summary>Bytes of a <c>sockaddr_in</c>.</summary>
    internal const int NativeBytesOfIPv4 = 16;

    /// <summary>Bytes of a <c>sockaddr_in6</c>, and of this struct.</summary>
    internal const int NativeBytesOfIPv6 = 28;

    private const int AddressBytesOfIPv4 = 4;
    private const int AddressBytesOfIPv6 = 16;

    // The upper 32 bits of the second address word of ::ffff:a.b.c.d, in host order (RFC 4291, 2.5.5.2).
    private const uint MappedPrefix = 0x0000_FFFF;

    [FieldOffset(0)]
    private readonly ushort _familyWord;

    [FieldOffset(2)]
    private readonly ushort _networkPort;

    // sin_addr for IPv4; for IPv6 sin6_flowinfo, which is always zero.
    [FieldOffset(4)]
    private readonly uint _networkIPv4;

    [FieldOffset(8)]
    private readonly ulong _networkIPv6First;

    [FieldOffset(16)]
    private readonly ulong _networkIPv6Last;

    [FieldOffset(24)]
    private readonly uint _scopeId;

    /// <summary>Creates an endpoint. An IPv4-mapped IPv6 address becomes plain IPv4, and loses its scope.</summary>
    /// <param name="address">An IPv4 or IPv6 address; the scope of an IPv6 address is kept.</param>
    /// <param name="port">The port, 0 to 65535. With port 0 the system chooses a port when a socket is bound.</param>
    /// <exception cref="ArgumentNullException"><paramref name="address"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="port"/> is not from 0 to 65535.</exception>
    public UdpEndPoint(IPAddress address, int port)
    {
        ArgumentNullException.ThrowIfNull(address);
        ThrowIfNotPort(port);
        Span<byte> bytes = stackalloc byte[AddressBytesOfIPv6];
        _ = address.TryWriteBytes(bytes, out int addressBytes);
        this = addressBytes == AddressBytesOfIPv4
            ? FromIPv4(MemoryMarshal.Read<uint>(bytes), port)
            : FromIPv6(bytes, port, (uint)address.ScopeId);
    }

    /// <summary>Creates an endpoint. Allocates nothing.</summary>
    /// <param name="address">The address; its scope is kept.</param>
    /// <param name="port">The port, 0 to 65535. With port 0 the system chooses a port when a socket is bound.</param>
    /// <exception cref="ArgumentException"><paramref name="address"/> is the default value.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="port"/> is not from 0 to 65535.</exception>
    public UdpEndPoint(UdpAddress address, int port)
    {
        ThrowIfNotPort(port);
        if (address.IsDefault)
        {
            throw new ArgumentException(
                "The default UdpAddress is not an address; check IsDefault first.", nameof(address));
        }
        this = address.EndPoint.WithPort(port);
    }

    private UdpEndPoint(
        ushort familyWord, int port, uint networkIPv4, ulong networkIPv6First, ulong networkIPv6Last, uint scopeId)
    {
        _familyWord = familyWord;
        _networkPort = SwapToNetwork((ushort)port);
        _networkIPv4 = networkIPv4;
        _networkIPv6First = networkIPv6First;
        _networkIPv6Last = networkIPv6Last;
        _scopeId = scopeId;
    }

    /// <summary>The family of the address; <see cref="AddressFamily.Unspecified"/> for the default value.</summary>
    public AddressFamily AddressFamily =>
        IsIPv4 ? AddressFamily.InterNetwork : IsIPv6 ? AddressFamily.InterNetworkV6 : AddressFamily.Unspecified;

    /// <summary>The port, 0 to 65535; 0 for the default value.</summary>
    public int Port => SwapToNetwork(_networkPort);

    /// <summary>The address, with its scope; <c>default</c> if this is the default value. Allocates nothing.</summary>
    public UdpAddress Address => new(in this);

    /// <inheritdoc cref="UdpAddress.ScopeId"/>
    internal uint ScopeId => _scopeId;

    /// <summary>Whether the address is IPv4, which includes every IPv4-mapped IPv6 address.</summary>
    public bool IsIPv4 => _familyWord == NativeFamily.IPv4Word;

    /// <summary>Whether the address is IPv6.</summary>
    public bool IsIPv6 => _familyWord == NativeFamily.IPv6Word;

    /// <summary>Whether this is the default value: no family, no address, port 0.</summary>
    public bool IsDefault => _familyWord == 0;

    /// <inheritdoc cref="UdpAddress.IsUnspecified"/>
    internal bool IsUnspecified =>
        !IsDefault && (_networkIPv4 | _networkIPv6First | _networkIPv6Last) == 0;

    /// <inheritdoc cref="UdpAddress.IsLoopback"/>
    internal bool IsLoopback => IsIPv4
        ? SwapToNetwork(_networkIPv4) >> 24 == 127
        : IsIPv6 && _networkIPv6First == 0 && SwapToNetwork(_networkIPv6Last) == 1;

    /// <inheritdoc cref="UdpAddress.IsMulticast"/>
    internal bool IsMulticast => IsIPv4
        ? SwapToNetwork(_networkIPv4) >> 28 == 0xE
        : IsIPv6 && SwapToNetwork(_networkIPv6First) >> 56 == 0xFF;

    /// <inheritdoc cref="UdpAddress.IsBroadcast"/>
    internal bool IsBroadcast => IsIPv4 && _networkIPv4 == uint.MaxValue;

    /// <summary>
    /// The number of bytes of the native address that are in use: 16 for IPv4, 28 for IPv6, 0 for the default value.
    /// </summary>
    internal int NativeLength => IsIPv4 ? NativeBytesOfIPv4 : IsIPv6 ? NativeBytesOfIPv6 : 0;

    // The first eight bytes (family, port and IPv4 address) in one load.
    private ulong Head =>
        Unsafe.ReadUnaligned<ulong>(ref Unsafe.As<ushort, byte>(ref Unsafe.AsRef(in _familyWord)));

    private bool IsMapped =>
        IsIPv6 && _networkIPv6First == 0 && SwapToNetwork(_networkIPv6Last) >> 32 == MappedPrefix;

    /// <summary>
    /// Whether family, address, port and scope are the same. An IPv4-mapped address equals its IPv4 form.
    /// </summary>
    /// <param name="left">One endpoint.</param>
    /// <param name="right">The other endpoint.</param>
    /// <returns>True if the endpoints are equal.</returns>
    public static bool operator ==(in UdpEndPoint left, in UdpEndPoint right) => left.Equals(in right);

    /// <summary>Whether family, address, port or scope differ.</summary>
    /// <param name="left">One endpoint.</param>
    /// <param name="right">The other endpoint.</param>
    /// <returns>True if the endpoints differ.</returns>
    public static bool operator !=(in UdpEndPoint left, in UdpEndPoint right) => !left.Equals(in right);

    /// <summary>The address <c>0.0.0.0</c>: all IPv4 addresses of this host.</summary>
    /// <param name="port">The port, 0 to 65535.</param>
    /// <returns>The endpoint to bind.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="port"/> is not from 0 to 65535.</exception>
    public static UdpEndPoint Any(int port) => new(IPAddress.Any, port);

    /// <summary>
    /// The address <c>::</c>: all IPv6 addresses of this host, and with a dual-stack socket all IPv4 addresses too.
    /// </summary>
    /// <param name="port">The port, 0 to 65535.</param>
    /// <returns>The endpoint to bind.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="port"/> is not from 0 to 65535.</exception>
    public static UdpEndPoint IPv6Any(int port) => new(IPAddress.IPv6Any, port);

    /// <summary>The IPv4 loopback address <c>127.0.0.1</c>, which only this host reaches.</summary>
    /// <param name="port">The port, 0 to 65535.</param>
    /// <returns>The endpoint.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="port"/> is not from 0 to 65535.</exception>
    public static UdpEndPoint Loopback(int port) => new(IPAddress.Loopback, port);

    /// <summary>The IPv6 loopback address <c>::1</c>, which only this host reaches.</summary>
    /// <param name="port">The port, 0 to 65535.</param>
    /// <returns>The endpoint.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="port"/> is not from 0 to 65535.</exception>
    public static UdpEndPoint IPv6Loopback(int port) => new(IPAddress.IPv6Loopback, port);

    /// <summary>The same address with another port.</summary>
    /// <param name="port">The port, 0 to 65535.</param>
    /// <returns>The endpoint with that port.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="port"/> is not from 0 to 65535.</exception>
    /// <exception cref="InvalidOperationException">This is the default value, which has no address.</exception>
    public UdpEndPoint WithPort(int port)
    {
        ThrowIfNotPort(port);
        ThrowIfDefault();
        return new UdpEndPoint(_familyWord, port, _networkIPv4, _networkIPv6First, _networkIPv6Last, _scopeId);
    }

    /// <summary>The same address with port 0; the default value stays as it is.</summary>
    internal UdpEndPoint WithoutPort() =>
        new(_familyWord, port: 0, _networkIPv4, _networkIPv6First, _networkIPv6Last, _scopeId);

    /// <summary>The bytes of <see cref="UdpAddress.TryWriteBytes"/>.</summary>
    internal bool TryWriteAddressBytes(Span<byte> destination, out int bytesWritten)
    {
        if (IsIPv4 && MemoryMarshal.TryWrite(destination, in _networkIPv4))
        {
            bytesWritten = AddressBytesOfIPv4;
            return true;
        }

        if (IsIPv6 && destination.Length >= AddressBytesOfIPv6)
        {
            MemoryMarshal.Write(destination, in _networkIPv6First);
            MemoryMarshal.Write(destination[sizeof(ulong)..], in _networkIPv6Last);
            bytesWritten = AddressBytesOfIPv6;
            return true;
        }

        bytesWritten = 0;
        return false;
    }

    /// <summary>
    /// Whether family, address, port and scope are the same. An IPv4-mapped address equals its IPv4 form.
    /// </summary>
    /// <param name="other">The endpoint to compare with.</param>
    /// <returns>True if the endpoints are equal.</returns>
    public bool Equals(UdpEndPoint other) => Equals(in other);

    /// <summary>Whether the other object is an endpoint with the same family, address, port and scope.</summary>
    /// <param name="obj">The object to compare with.</param>
    /// <returns>True if the object is an equal endpoint.</returns>
    public override bool Equals([NotNullWhen(true)] object? obj) => obj is UdpEndPoint other && Equals(in other);

    /// <summary>
    /// A hash (SipHash-1-3) with a key that this process chose at random, so that peers cannot choose addresses that
    /// collide in a table. The hash differs from process to process: do not store it.
    /// </summary>
    /// <returns>The hash.</returns>
    public override int GetHashCode() => (int)Hash(in KeyedHash.Process);

    /// <summary>
    /// Compares all 28 bytes, without copying and without branches. Equal bytes mean equal endpoints because both are
    /// in normal form.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Equals(in UdpEndPoint other)
    {
        Debug.Assert(IsNormal && other.IsNormal, "Equal end points would differ.");
        ulong differences =
            (Head ^ other.Head) |
            (_networkIPv6First ^ other._networkIPv6First) |
            (_networkIPv6Last ^ other._networkIPv6Last) |
            (_scopeId ^ other._scopeId);
        return differences == 0;
    }

    /// <summary>
    /// The hash with a given key, over the bytes that matter: the first 8 for IPv4 (family, port, address), all 28 for
    /// IPv6. Words are read in this machine's byte order, because a hash is used only in its own process.
    /// </summary>
    internal ulong Hash(in KeyedHash hash)
    {
        Debug.Assert(IsNormal, "Equal end points would have different hashes.");
        return IsIPv6 ? hash.Hash(Head, _networkIPv6First, _networkIPv6Last, _scopeId) : hash.Hash(Head);
    }

    internal static UdpEndPoint FromIPv4(uint networkAddress, int port) =>
        new(NativeFamily.IPv4Word, port, networkAddress, 0, 0, 0);

    internal static UdpEndPoint FromIPv6(ReadOnlySpan<byte> address, int port, uint scopeId)
    {
        ulong first = MemoryMarshal.Read<ulong>(address);
        ulong last = MemoryMarshal.Read<ulong>(address[sizeof(ulong)..]);
        var endPoint = new UdpEndPoint(NativeFamily.IPv6Word, port, 0, first, last, scopeId);
        if (endPoint.IsMapped) endPoint = endPoint.FromMapped();
        Debug.Assert(endPoint.IsNormal);
        return endPoint;
    }

    private static void ThrowIfNotPort(int port)
    {
        if ((uint)port > IPEndPoint.MaxPort)
        {
            throw new ArgumentOutOfRangeException(nameof(port), port, "A UDP port must be from 0 to 65535.");
        }
    }

    private void ThrowIfDefault()
    {
        if (IsDefault)
        {
            throw new InvalidOperationException("The default UdpEndPoint has no address; check IsDefault first.");
        }
    }
}
