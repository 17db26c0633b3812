using System.Diagnostics;

namespace Spate.Buffers;

/// <summary>
/// The free lease entries of one thread, in two chains of at most <see cref="ChainCount"/> entries. A thread that ends
/// more leases than it takes moves full chains to a list that all threads share. A thread that takes more leases than
/// it ends fetches chains from that list. So a thread takes the lock of the list at most once per
/// <see cref="ChainCount"/> leases, and more often only while the list is empty and new entries must be made. With only
/// one chain, a thread that ends and takes a few leases in turn could move a full chain to the list, soon fetch it
/// back, and so take the lock almost every time.
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

    /// <summary>
    /// Takes a free entry, or makes a new entry if neither this thread nor the shared list has a free one.
    /// </summary>
    public LeaseEntry Take()
    {
        LeaseEntry? entry = _first;
        if (entry is null && (entry = TakeChain()) is null) return new LeaseEntry();
        _first = entry.NextFree;
        _count--;
        Debug.Assert(_count >= 0 && (_count == 0) == (_first is null), "The chain has as many entries as counted.");

        // Clears the link: with it, a program that keeps an ended lease would keep all later entries of the chain
        // alive.
        entry.NextFree = null;
        return entry;
    }

    public void Put(LeaseEntry entry)
    {
        Debug.Assert(entry.NextFree is null && entry.NextChain is null, "The entry is in a chain already.");
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
                Debug.Assert((_sharedChainCount == 0) == (_shared is null));
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
            // If the list is full, the chain is dropped, and the garbage collector frees it.
            if (_sharedChainCount == MaxSharedChainCount) return;
            older.NextChain = _shared;
            _shared = older;
            _sharedChainCount++;
        }
    }
}
