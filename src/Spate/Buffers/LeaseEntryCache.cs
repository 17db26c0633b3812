namespace Spate.Buffers;

/// <summary>
/// The free lease entries of one thread: two chains of at most <see cref="ChainCount"/>. A thread that ends more
/// leases than it takes gives a full chain to the shared list; a thread that takes more fetches one. So the shared lock
/// is taken once in <see cref="ChainCount"/> leases. With one chain, a thread that alternates at its limit would take
/// the lock every time.
/// </summary>
internal sealed class LeaseEntryCache
{
    internal const int ChainCount = 64;
    private const int MaxSharedChainCount = 64;

    private static readonly Lock SharedLock = new();
    private static LeaseEntry? _shared;
    private static int _sharedChainCount;

    [ThreadStatic]
    private static LeaseEntryCache? _ofThread;

    private LeaseEntry? _first;
    private int _count;
    private LeaseEntry? _fullChain;

    /// <summary>The cache of the calling thread.</summary>
    public static LeaseEntryCache OfThread => _ofThread ??= new LeaseEntryCache();

    /// <summary>A free entry, or a new one if neither this thread nor the shared list has any.</summary>
    public LeaseEntry Take()
    {
        LeaseEntry? entry = _first;
        if (entry is null && (entry = TakeChain()) is null) return new LeaseEntry();
        _first = entry.NextFree;
        _count--;

        // A reference to an ended lease must not keep all entries after it in the chain alive.
        entry.NextFree = null;
        return entry;
    }

    public void Put(LeaseEntry entry)
    {
        if (_count == ChainCount) PutChain();
        entry.NextFree = _first;
        _first = entry;
        _count++;
    }

    private LeaseEntry? TakeChain()
    {
        LeaseEntry? chain = _fullChain;
        _fullChain = null;
        if (chain is null)
        {
            lock (SharedLock)
            {
                chain = _shared;
                if (chain is null) return null;
                _shared = chain.NextChain;
                _sharedChainCount--;
            }

            chain.NextChain = null;
        }

        _count = ChainCount;
        return chain;
    }

    private void PutChain()
    {
        LeaseEntry? older = _fullChain;
        _fullChain = _first;
        _first = null;
        _count = 0;
        if (older is null) return;
        lock (SharedLock)
        {
            // Chains above the limit are left to the collector.
            if (_sharedChainCount == MaxSharedChainCount) return;
            older.NextChain = _shared;
            _shared = older;
            _sharedChainCount++;
        }
    }
}
