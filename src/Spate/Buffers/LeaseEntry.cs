using System.Diagnostics;

namespace Spate.Buffers;

/// <summary>
/// The reusable state of a <see cref="DatagramLease"/>. The version distinguishes an ended lease from the lease that
/// uses the entry now, so a second Dispose through a copy of the ended lease does nothing.
/// </summary>
internal sealed class LeaseEntry
{
    private SlotBuffer? _buffer;
    private int _version;

    /// <summary>
    /// The next entry in the chain of free entries; set by <see cref="LeaseEntryCache"/> while this entry is free.
    /// </summary>
    internal LeaseEntry? NextFree { get; set; }

    /// <summary>
    /// The first entry of the next chain in the list that all threads share; set only while this entry is the first of
    /// a chain in that list.
    /// </summary>
    internal LeaseEntry? NextChain { get; set; }

    public static LeaseEntry Rent(SlotBuffer buffer, out int version)
    {
        LeaseEntry entry = LeaseEntryCache.OfThread.Take();
        Debug.Assert(entry._buffer is null, "The entry still belongs to another lease.");
        buffer.AddRef();
        Volatile.Write(ref entry._buffer, buffer);
        version = entry._version;
        return entry;
    }

    /// <summary>The array that contains the payload; null once the lease of this version has ended.</summary>
    public byte[]? ArrayOf(int version)
    {
        // Read the buffer first and the version second: if the version still matches, the buffer belonged to this
        // lease.
        SlotBuffer? buffer = Volatile.Read(ref _buffer);
        return Volatile.Read(ref _version) == version ? buffer?.Array : null;
    }

    public void End(int version)
    {
        if (Interlocked.CompareExchange(ref _version, version + 1, version) != version) return;
        SlotBuffer? buffer = Interlocked.Exchange(ref _buffer, null);
        Debug.Assert(buffer is not null, "Only one End per version passes, and no other code clears the buffer.");
        buffer?.Release();

        // This runs once per lease, because only one caller passes the version check. The entry goes to the cache of
        // the thread that ends the lease.
        LeaseEntryCache.OfThread.Put(this);
    }
}
