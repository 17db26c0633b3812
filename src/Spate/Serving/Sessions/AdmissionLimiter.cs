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

    /// <summary>
    /// Admits the peer and takes a token from each bucket that applies, or refuses the peer and changes nothing.
    /// </summary>
    public SessionAdmission Admit(in UdpEndPoint peer, long now)
    {
        SessionAdmission admission = Check(in peer, now, out int bucketIndex, out ulong key);
        if (admission != SessionAdmission.Admitted) return admission;
        if (_all.HasLimit) _paidUntil = _all.Pay(_paidUntil, now);
        Debug.Assert(
            bucketIndex < 0 || _buckets[bucketIndex].Key == key || _buckets[bucketIndex].PaidUntil <= now,
            "A bucket that still limits its prefix is not given to another.");
        if (bucketIndex >= 0) _buckets[bucketIndex] = new(key, _each.Pay(PaidUntil(bucketIndex, key), now));
        return SessionAdmission.Admitted;
    }

    /// <summary>Returns the result that <see cref="Admit"/> would return now, but changes nothing.</summary>
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

    private long PaidUntil(int bucketIndex, ulong key) =>
        _buckets[bucketIndex].Key == key ? _buckets[bucketIndex].PaidUntil : 0;

    private readonly record struct Bucket(ulong Key, long PaidUntil);
}
