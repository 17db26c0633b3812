using System.Buffers.Binary;
using Spate.Hashing;

namespace Spate.Serving.Sessions;

/// <summary>
/// Identifies the address prefix of a peer by a 64-bit hash with a secret key. Two prefixes have the same hash with a
/// probability of 2^-64, and no peer can choose its hash.
/// </summary>
internal readonly struct SourcePrefix(int ipv4Bits, int ipv6Bits, KeyedHash hash)
{
    public const int MaxIPv4Bits = 32;
    public const int MaxIPv6Bits = 64;

    private const int IPv4Bytes = sizeof(uint);
    private const int MaxAddressBytes = 16;

    private readonly uint _ipv4Mask = uint.MaxValue << (MaxIPv4Bits - ipv4Bits);
    private readonly ulong _ipv6Mask = ulong.MaxValue << (MaxIPv6Bits - ipv6Bits);
    private readonly KeyedHash _hash = hash;

    /// <summary>
    /// Returns the hash of the peer's prefix. The port is not part of the prefix. The hash is computed over 4 bytes for
    /// IPv4 and over 8 bytes for IPv6, so equal bits of the two families have different hashes.
    /// </summary>
    public ulong KeyOf(in UdpEndPoint peer)
    {
        Span<byte> address = stackalloc byte[MaxAddressBytes];
        if (!peer.TryWriteAddressBytes(address, out int addressBytes)) return 0;
        if (addressBytes == IPv4Bytes)
        {
            uint prefix = BinaryPrimitives.ReadUInt32BigEndian(address) & _ipv4Mask;
            BinaryPrimitives.WriteUInt32BigEndian(address, prefix);
            return _hash.Hash(address[..sizeof(uint)]);
        }

        BinaryPrimitives.WriteUInt64BigEndian(address, BinaryPrimitives.ReadUInt64BigEndian(address) & _ipv6Mask);
        return _hash.Hash(address[..sizeof(ulong)]);
    }
}
