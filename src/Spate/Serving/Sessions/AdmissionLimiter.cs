using Spate.Hashing;

namespace Spate.Serving.Sessions;

/// <summary>
/// Limits the rate of new sessions, from all peers together and from each prefix. The buckets of the prefixes are kept
/// in a table of fixed size, 8,192 sets of 8 buckets, as in WireGuard. A bucket that is full again means the same as no
/// bucket, so another prefix may take it and the limits stay exact. While no bucket of a set is full, further prefixes
/// of that set are refused, also as in WireGuard. Peers on loopback have no limit per prefix: they are this machine's
/// own, and nobody else can use their addresses.
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
        SessionAdmission admission = Check(in peer, now, out int bucketIndex, out ulong key);
        if (admission != SessionAdmission.Admitted) return admission;
        if (_all.HasLimit) _paidUntil = _all.Pay(_paidUntil, now);
        if (bucketIndex >= 0) _buckets[bucketIndex] = new(key, _each.Pay(PaidUntil(bucketIndex, key), now));
        return SessionAdmission.Admitted;
    }

    /// <summary>What <see cref="Admit"/> would return now; changes nothing.</summary>
    public SessionAdmission Check(in UdpEndPoint peer, long now) => Check(in peer, now, out _, out _);

    private SessionAdmission Check(in UdpEndPoint peer, long now, out int bucketIndex, out ulong key)
    {
        bucketIndex = -1;
        key = 0;
        if (_each.HasLimit && !peer.IsLoopback)
        {
            key = _prefix.KeyOf(peer);
            bucketIndex = Find(key, now);
            if (bucketIndex < 0) return SessionAdmission.RateLimited;
            if (!_each.Allows(PaidUntil(bucketIndex, key), now)) return SessionAdmission.PrefixLimited;
        }

        bool isLimited = _all.HasLimit && !_all.Allows(_paidUntil, now);
        return isLimited ? SessionAdmission.RateLimited : SessionAdmission.Admitted;
    }

    /// <summary>The bucket of the prefix, or a full one of its set that the prefix may take, or -1.</summary>
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
