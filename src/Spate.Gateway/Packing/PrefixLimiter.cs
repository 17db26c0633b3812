using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

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

/// <summary>
/// A set of address prefixes of both families, as sorted ranges that do not touch, so that a look-up costs the
/// logarithm of their number. Immutable.
/// </summary>
internal sealed class PrefixRanges
{
    private const int IPv4Bytes = 4;
    private const int MaxAddressBytes = 16;

    private readonly UInt128[] _ipv4Starts;
    private readonly UInt128[] _ipv4Ends;
    private readonly UInt128[] _ipv6Starts;
    private readonly UInt128[] _ipv6Ends;

    public PrefixRanges(IReadOnlyList<IPNetwork> prefixes)
    {
        (_ipv4Starts, _ipv4Ends) = Merge(prefixes.Where(prefix => !IsIPv6(prefix)).Select(RangeOf));
        (_ipv6Starts, _ipv6Ends) = Merge(prefixes.Where(IsIPv6).Select(RangeOf));
    }

    public bool Contains(in UdpEndPoint peer)
    {
        Span<byte> address = stackalloc byte[MaxAddressBytes];
        if (!peer.Address.TryWriteBytes(address, out int addressBytes)) return false;
        return addressBytes == IPv4Bytes
            ? Contains(_ipv4Starts, _ipv4Ends, BinaryPrimitives.ReadUInt32BigEndian(address))
            : Contains(_ipv6Starts, _ipv6Ends, BinaryPrimitives.ReadUInt128BigEndian(address));
    }

    private static bool Contains(UInt128[] starts, UInt128[] ends, UInt128 address)
    {
        int at = Array.BinarySearch(starts, address);
        if (at >= 0) return true;
        int before = ~at - 1;
        return before >= 0 && address <= ends[before];
    }

    private static bool IsIPv6(IPNetwork prefix) => prefix.BaseAddress.AddressFamily == AddressFamily.InterNetworkV6;

    private static (UInt128 Start, UInt128 End) RangeOf(IPNetwork prefix)
    {
        byte[] bytes = prefix.BaseAddress.GetAddressBytes();
        UInt128 start = 0;
        foreach (byte each in bytes) start = (start << 8) | each;
        int hostBits = (bytes.Length * 8) - prefix.PrefixLength;

        // A shift by 128 would shift by nothing.
        UInt128 hosts = hostBits == 128 ? UInt128.MaxValue : (UInt128.One << hostBits) - 1;
        return (start, start | hosts);
    }

    private static (UInt128[] Starts, UInt128[] Ends) Merge(IEnumerable<(UInt128 Start, UInt128 End)> ranges)
    {
        List<UInt128> starts = [], ends = [];
        foreach ((UInt128 start, UInt128 end) in ranges.OrderBy(range => range.Start))
        {
            if (ends.Count > 0 && start <= ends[^1])
            {
                ends[^1] = UInt128.Max(ends[^1], end);
                continue;
            }

            starts.Add(start);
            ends.Add(end);
        }

        return ([.. starts], [.. ends]);
    }
}

/// <summary>Which datagrams a gateway takes: by the prefix of their source, and by its rate. For one thread.</summary>
internal sealed class SourceFilter(PrefixRanges? allowed, PrefixLimiter? limiter)
{
    private UdpEndPoint _lastPeer;
    private bool _isLastAllowed;

    /// <summary>The filter of one shard; null where everything is taken.</summary>
    public static SourceFilter? Of(UdpGatewayOptions options, PrefixRanges? allowed)
    {
        if (allowed is null && options.MaxPerSecondPerPrefix is null) return null;
        PrefixLimiter? limiter = options.MaxPerSecondPerPrefix is { } perSecond
            ? new PrefixLimiter(perSecond, options.Socket.TimeProvider.TimestampFrequency)
            : null;
        return new SourceFilter(allowed, limiter);
    }

    /// <summary>Whether the datagram is taken; if so it is charged to its prefix.</summary>
    public bool Allows(in UdpEndPoint peer, long now)
    {
        // Datagrams of a GSO message come one after another, so the look-up is made once for them.
        if (allowed is not null && peer != _lastPeer)
        {
            _lastPeer = peer;
            _isLastAllowed = allowed.Contains(peer);
        }

        return (allowed is null || _isLastAllowed) && (limiter is null || limiter.TryPay(peer, now));
    }
}
