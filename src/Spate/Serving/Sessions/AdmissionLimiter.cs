using System.Buffers.Binary;
using System.Diagnostics;
using Spate.Hashing;

namespace Spate.Serving.Sessions;

/// <summary>
/// Limits the rate of new sessions, for all peers together and for each prefix of addresses. Each prefix has a token
/// bucket in a table of fixed size: 8,192 sets of 8 buckets, as many as in WireGuard. A bucket that has all its tokens
/// again limits no more than a new bucket would. So another prefix may take such a bucket, and the limits stay exact.
/// While no bucket of a set has all its tokens, further prefixes of that set are refused; WireGuard also refuses
/// sources when its table is full. Peers on loopback have no limit per prefix: their addresses are this machine's own,
/// and no other machine can use them.
/// </summary>
internal sealed class AdmissionLimiter
{
    public const int MaxIPv4Bits = 32;
    public const int MaxIPv6Bits = 64;

    private const int IPv4Bytes = sizeof(uint);
    private const int MaxAddressBytes = 16;
    private const int SetCount = 8192;
    private const int BucketsPerSet = 8;
    private const int BucketBytes = 16;

    private readonly RateRule _all;
    private readonly RateRule _each;
    private readonly uint _ipv4Mask;
    private readonly ulong _ipv6Mask;
    private readonly KeyedHash _hash = KeyedHash.CreateRandom();
    private readonly Bucket[] _buckets;
    private long _paidUntil;
    private int _checkedBucket;
    private ulong _checkedKey;

    public AdmissionLimiter(SessionTableOptions options)
    {
        long stampsPerSecond = options.Clock.TimestampFrequency;
        _all = new RateRule(options.NewSessionsPerSecond, options.NewSessionsBurst, stampsPerSecond);
        _each = new RateRule(options.NewSessionsPerSecondPerPrefix, options.NewSessionsBurstPerPrefix, stampsPerSecond);
        _ipv4Mask = uint.MaxValue << (MaxIPv4Bits - options.IPv4PrefixBits);
        _ipv6Mask = ulong.MaxValue << (MaxIPv6Bits - options.IPv6PrefixBits);
        _buckets = _each.HasLimit ? new Bucket[SetCount * BucketsPerSet] : [];
    }

    public long ReservedBytes => (long)_buckets.Length * BucketBytes;

    private long PaidUntilOfBucket =>
        _buckets[_checkedBucket].Key == _checkedKey ? _buckets[_checkedBucket].PaidUntil : 0;

    /// <summary>Returns whether the limits allow the peer a session now. Takes no token.</summary>
    public SessionAdmission Check(in UdpEndPoint peer, long now)
    {
        _checkedBucket = -1;
        if (_each.HasLimit && !peer.IsLoopback)
        {
            _checkedKey = KeyOf(in peer);
            _checkedBucket = Find(_checkedKey, now);
            if (_checkedBucket < 0) return SessionAdmission.RateLimited;
            if (!_each.Allows(PaidUntilOfBucket, now)) return SessionAdmission.PrefixLimited;
        }

        bool isLimited = _all.HasLimit && !_all.Allows(_paidUntil, now);
        return isLimited ? SessionAdmission.RateLimited : SessionAdmission.Admitted;
    }

    /// <summary>
    /// Takes a token from each bucket that applies to the last peer for which <see cref="Check"/> was called. The
    /// limits must have allowed that peer.
    /// </summary>
    public void Pay(long now)
    {
        if (_all.HasLimit) _paidUntil = _all.Pay(_paidUntil, now);
        if (_checkedBucket < 0) return;
        Debug.Assert(
            _buckets[_checkedBucket].Key == _checkedKey || _buckets[_checkedBucket].PaidUntil <= now,
            "A bucket that still limits its prefix is not given to another.");
        _buckets[_checkedBucket] = new(_checkedKey, _each.Pay(PaidUntilOfBucket, now));
    }

    /// <summary>
    /// Returns a hash of the peer's prefix, which does not include the port, with a secret key. Two prefixes have the
    /// same hash with a probability of 2^-64, and no peer can choose its hash. The hash is computed over 4 bytes for
    /// IPv4 and over 8 bytes for IPv6, so equal bits of the two families have different hashes.
    /// </summary>
    private ulong KeyOf(in UdpEndPoint peer)
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

    /// <summary>
    /// Finds the bucket of the prefix. If the prefix has none, finds a bucket of its set that has all its tokens, which
    /// the prefix may take. Returns -1 if it finds neither.
    /// </summary>
    private int Find(ulong key, long now)
    {
        int first = (int)(key % SetCount) * BucketsPerSet;
        int usable = -1;
        for (int bucketIndex = first; bucketIndex < first + BucketsPerSet; bucketIndex++)
        {
            ref readonly Bucket bucket = ref _buckets[bucketIndex];
            if (bucket.Key == key) return bucketIndex;
            if (bucket.PaidUntil <= now) usable = bucketIndex;
        }

        return usable;
    }

    private readonly record struct Bucket(ulong Key, long PaidUntil);
}

/// <summary>
/// A token bucket that is stored as one number: the time up to which admissions are paid for (GCRA, ITU-T I.371). Each
/// admission adds one interval to that time. The burst limits how far that time may be in the future. If the time is
/// not in the future, the bucket has all its tokens, as if it had never been used.
/// </summary>
/// <param name="perSecond">The number of admissions per second; null for no limit.</param>
/// <param name="burst">The number of admissions that a bucket with all its tokens allows at once.</param>
/// <param name="stampsPerSecond">The frequency of the clock. All times are in time stamps of this clock.</param>
internal readonly struct RateRule(int? perSecond, int burst, long stampsPerSecond)
{
    // Rounded up, so that the rate is never exceeded. With a clock of 10 MHz and up to a million admissions per second,
    // rounding lowers the rate by at most 10 %.
    private readonly long _interval = perSecond is { } rate ? (stampsPerSecond + rate - 1) / rate : 0;
    private readonly int _burst = burst;

    public bool HasLimit => _interval != 0;

    public bool Allows(long paidUntil, long now) => paidUntil - now <= (_burst - 1) * _interval;

    public long Pay(long paidUntil, long now) => Math.Max(paidUntil, now) + _interval;
}
