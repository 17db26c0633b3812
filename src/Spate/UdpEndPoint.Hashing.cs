using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Spate.Hashing;

namespace Spate;

public readonly partial struct UdpEndPoint
{
    // Family, port and IPv4 address in one load: the first eight bytes.
    private ulong Head =>
        Unsafe.ReadUnaligned<ulong>(ref Unsafe.As<ushort, byte>(ref Unsafe.AsRef(in _familyWord)));

    /// <summary>
    /// Whether family, address, port and scope are the same. An IPv4-mapped address equals its IPv4 form.
    /// </summary>
    /// <param name="left">One endpoint.</param>
    /// <param name="right">The other endpoint.</param>
    /// <returns>True if they are the same.</returns>
    public static bool operator ==(in UdpEndPoint left, in UdpEndPoint right) => left.Equals(in right);

    /// <summary>Whether family, address, port or scope differ.</summary>
    /// <param name="left">One endpoint.</param>
    /// <param name="right">The other endpoint.</param>
    /// <returns>True if they differ.</returns>
    public static bool operator !=(in UdpEndPoint left, in UdpEndPoint right) => !left.Equals(in right);

    /// <summary>
    /// Whether family, address, port and scope are the same. An IPv4-mapped address equals its IPv4 form.
    /// </summary>
    /// <param name="other">The endpoint to compare with.</param>
    /// <returns>True if they are the same.</returns>
    public bool Equals(UdpEndPoint other) => Equals(in other);

    /// <summary>Whether the other object is an endpoint with the same family, address, port and scope.</summary>
    /// <param name="obj">The object to compare with.</param>
    /// <returns>True if it is an equal endpoint.</returns>
    public override bool Equals([NotNullWhen(true)] object? obj) => obj is UdpEndPoint other && Equals(in other);

    /// <summary>
    /// A hash (SipHash-1-3) under a key that this process drew at random, so that peers cannot choose addresses that
    /// collide in a table. It differs from process to process: do not store it.
    /// </summary>
    /// <returns>The hash.</returns>
    public override int GetHashCode() => (int)Hash(in KeyedHash.Process);

    /// <summary>Equality without copying: all 28 bytes, which the normal form makes sufficient. No branches.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Equals(in UdpEndPoint other)
    {
        ulong differences =
            (Head ^ other.Head) |
            (_networkIPv6First ^ other._networkIPv6First) |
            (_networkIPv6Last ^ other._networkIPv6Last) |
            (_scopeId ^ other._scopeId);
        return differences == 0;
    }

    /// <summary>
    /// The hash under a given key, over the bytes that matter: the first 8 for IPv4 (family, port, address), all 28
    /// for IPv6. Words are taken in this machine's byte order, as a hash never leaves its process.
    /// </summary>
    internal ulong Hash(in KeyedHash hash) => IsIPv6
        ? hash.Hash(Head, _networkIPv6First, _networkIPv6Last, _scopeId)
        : hash.Hash(Head);
}
