using System.Buffers.Binary;
using Spate.Hashing;

namespace Spate.Serving.Sessions;

/// <summary>
/// Names the prefix of a peer by a keyed 64-bit hash: two share a name once in 2^64, and nobody can choose it.
/// </summary>
internal readonly struct SourcePrefix(int ipv4Bits, int ipv6Bits, KeyedHash hash)
{
    public const int IPv4BitsMost = 32;
    public const int IPv6BitsMost = 64;

    private const int IPv6Offset = 8;

    private readonly uint _ipv4Mask = uint.MaxValue << (IPv4BitsMost - ipv4Bits);
    private readonly ulong _ipv6Mask = ulong.MaxValue << (IPv6BitsMost - ipv6Bits);
    private readonly KeyedHash _hash = hash;

    /// <summary>The name. The port is no part of it. Messages of 8 and of 28 bytes keep the families apart.</summary>
    public ulong KeyOf(in UdpEndPoint peer)
    {
        if (peer.IsIPv4)
        {
            uint address = peer.NativeIPv4;
            if (BitConverter.IsLittleEndian) address = BinaryPrimitives.ReverseEndianness(address);
            return _hash.Hash(address & _ipv4Mask);
        }

        ulong first = BinaryPrimitives.ReadUInt64BigEndian(peer.NativeBytes[IPv6Offset..]);
        return _hash.Hash(first & _ipv6Mask, 0, 0, 0);
    }
}
