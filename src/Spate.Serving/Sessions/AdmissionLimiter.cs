using Spate.Hashing;

namespace Spate.Serving.Sessions;

/// <summary>
/// How many new sessions there may be in a time: from all peers, and from each prefix. The buckets of prefixes have a
/// table of one size, 8,192 sets of 8 as WireGuard's. A bucket that is full again says nothing and gives way, so
/// limits are exact; while none of a set's is, further prefixes are refused there, as WireGuard does.
/// </summary>
internal sealed class AdmissionLimiter
{
    private const int SetCount = 8192;
    private const int BucketsPerSet = 8;
    private const int BucketBytes = 16;

    private readonly RateRule _all;
    private readonly RateRule _each;
    private readonly SourcePrefix _prefix;
    private readonly Bucket[] _buckets;
    private long _paidUntil;

    public AdmissionLimiter(SessionTableOptions options)
    {
        long stampsPerSecond = options.TimeProvider.TimestampFrequency;
        _all = new RateRule(options.NewSessionsPerSecond, options.NewSessionsBurst, stampsPerSecond);
        _each = new RateRule(options.NewSessionsPerSecondPerPrefix, options.NewSessionsBurstPerPrefix, stampsPerSecond);
        _prefix = new SourcePrefix(options.IPv4PrefixBits, options.IPv6PrefixBits, KeyedHash.CreateRandom());
        _buckets = _each.HasLimit ? new Bucket[SetCount * BucketsPerSet] : [];
    }

    public long ReservedBytes => (long)_buckets.Length * BucketBytes;

    /// <summary>Admits the peer and charges it, or refuses and changes nothing.</summary>
    public SessionAdmission Admit(in UdpEndPoint peer, long now)
    {
        int bucketIndex = -1;
        ulong key = 0;
        if (_each.HasLimit)
        {
            key = _prefix.KeyOf(peer);
            bucketIndex = Find(key, now);
            if (bucketIndex < 0) return SessionAdmission.RateLimited;
            if (!_each.Allows(PaidUntil(bucketIndex, key), now)) return SessionAdmission.PrefixLimited;
        }

        if (_all.HasLimit)
        {
            if (!_all.Allows(_paidUntil, now)) return SessionAdmission.RateLimited;
            _paidUntil = _all.Pay(_paidUntil, now);
        }

        if (bucketIndex >= 0) _buckets[bucketIndex] = new(key, _each.Pay(PaidUntil(bucketIndex, key), now));
        return SessionAdmission.Admitted;
    }

    /// <summary>The prefix's bucket, or one of its set that is full and may become it; else -1.</summary>
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

    private long PaidUntil(int bucketIndex, ulong key) =>
        _buckets[bucketIndex].Key == key ? _buckets[bucketIndex].PaidUntil : 0;

    private readonly record struct Bucket(ulong Key, long PaidUntil);
}
