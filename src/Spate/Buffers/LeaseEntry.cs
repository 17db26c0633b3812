namespace Spate.Buffers;

/// <summary>
/// The reusable state of a <see cref="DatagramLease"/>. The version distinguishes a disposed lease from the lease that
/// has the entry now, so a second Dispose of a copy does nothing.
/// </summary>
internal sealed class LeaseEntry
{
    private SlotBuffer? _buffer;
    private int _version;

    /// <summary>The next entry of the chain while this entry is free, for <see cref="LeaseEntryCache"/>.</summary>
    internal LeaseEntry? NextFree { get; set; }

    /// <summary>The first entry of the next chain, if this entry begins a chain that no thread has.</summary>
    internal LeaseEntry? NextChain { get; set; }

    public static LeaseEntry Rent(SlotBuffer buffer, out int version)
    {
        LeaseEntry entry = LeaseEntryCache.OfThread.Take();
        buffer.AddRef();
        Volatile.Write(ref entry._buffer, buffer);
        version = entry._version;
        return entry;
    }

    /// <summary>The array that contains the payload; null once the lease of this version has ended.</summary>
    public byte[]? ArrayOf(int version)
    {
        // In this order: if the version is unchanged after the buffer was read, the buffer was this lease's.
        SlotBuffer? buffer = Volatile.Read(ref _buffer);
        return Volatile.Read(ref _version) == version ? buffer?.Array : null;
    }

    public void End(int version)
    {
        if (Interlocked.CompareExchange(ref _version, version + 1, version) != version) return;
        SlotBuffer? buffer = Interlocked.Exchange(ref _buffer, null);
        buffer?.Release();

        // Runs once: only one caller wins the version check. The entry returns to the cache of the thread that ended
        // the lease.
        LeaseEntryCache.OfThread.Put(this);
    }
}
