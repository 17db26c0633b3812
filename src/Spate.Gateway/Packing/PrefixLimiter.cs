using System.Buffers.Binary;

namespace Spate.Gateway.Packing;

/// <summary>
/// Limits the datagrams per second from each prefix: /24 for IPv4, /64 for IPv6. As the limits of new sessions in
/// Spate.Serving: a token bucket is one number, the time up to which is paid (GCRA, ITU-T I.371); the buckets lie in a
/// table of fixed size, 8,192 sets of 8; a bucket that is full again may be taken by another prefix, and while none of
/// a set is, further prefixes of that set are refused. For one thread.
/// </summary>
internal sealed class PrefixLimiter
{
    private const int SetBits = 13;
    private const int BucketsPerSet = 8;
    private const int MaxAddressBytes = 16;
    private const int IPv4Bytes = 4;
    private const uint IPv4Mask = 0xFFFF_FF00;

    // No IPv6 address with these leading bits is a source: they are multicast (RFC 4291, 2.7).
    private const ulong IPv4Mark = 0xFFFF_FFFF_0000_0000;

    private readonly Bucket[] _buckets = new Bucket[(1 << SetBits) * BucketsPerSet];

    // The system's random bits; all but four of these are.
    private readonly ulong _factor = BinaryPrimitives.ReadUInt64LittleEndian(Guid.NewGuid().ToByteArray()) | 1;

    private readonly long _interval;
    private readonly long _maxAhead;

    /// <param name="perSecond">Datagrams per second; after a pause as many may come at once.</param>
    /// <param name="stampsPerSecond">The unit of all times.</param>
    public PrefixLimiter(int perSecond, long stampsPerSecond)
    {
        // Rounded up, so that the rate is never exceeded.
        _interval = (stampsPerSecond + perSecond - 1) / perSecond;
        _maxAhead = (perSecond - 1) * _interval;
    }

    /// <summary>Charges the datagram to its prefix, or refuses it and changes nothing.</summary>
    public bool TryPay(in UdpEndPoint peer, long now)
    {
        ulong key = KeyOf(peer);

        // Multiplying by a random odd number and taking the high bits spreads keys that nobody can choose to collide
        // without knowing the number.
        int first = (int)((key * _factor) >> (64 - SetBits)) * BucketsPerSet;
        Span<Bucket> set = _buckets.AsSpan(first, BucketsPerSet);
        int usable = -1;
        for (int i = 0; i < set.Length; i++)
        {
            ref Bucket bucket = ref set[i];
            if (bucket.Key == key)
            {
                if (bucket.PaidUntil - now > _maxAhead) return false;
                bucket.PaidUntil = Math.Max(bucket.PaidUntil, now) + _interval;
                return true;
            }

            if (bucket.PaidUntil <= now) usable = i;
        }

        if (usable < 0) return false;
        set[usable] = new Bucket { Key = key, PaidUntil = now + _interval };
        return true;
    }

    private static ulong KeyOf(in UdpEndPoint peer)
    {
        Span<byte> address = stackalloc byte[MaxAddressBytes];
        _ = peer.Address.TryWriteBytes(address, out int addressBytes);
        return addressBytes == IPv4Bytes
            ? IPv4Mark | (BinaryPrimitives.ReadUInt32BigEndian(address) & IPv4Mask)
            : BinaryPrimitives.ReadUInt64BigEndian(address);
    }

    private struct Bucket
    {
        public ulong Key;
        public long PaidUntil;
    }
}
