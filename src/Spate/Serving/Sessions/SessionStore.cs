using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Spate.Serving.Sessions;

/// <summary>
/// The entries of a table, in one array that never grows. A new session takes the entry that was freed last. If all
/// used entries have sessions, it takes a never-used entry. The memory of never-used entries is not touched, so the
/// system need not provide pages for it.
/// </summary>
internal struct SessionStore<TSession>(int maxEntryCount)
{
    private const int None = -1;

    public readonly SessionEntry<TSession>[] Entries = new SessionEntry<TSession>[maxEntryCount];

    private int _firstFree = None;

    /// <summary>
    /// The number of entries that were ever in use. They are the entries with the indexes below this number.
    /// </summary>
    public int UsedEnd { get; private set; }

    public readonly bool IsFull => _firstFree == None && UsedEnd == Entries.Length;

    public readonly long ReservedBytes => (long)Entries.Length * Unsafe.SizeOf<SessionEntry<TSession>>();

    /// <summary>Takes a free entry for a new session, whose value is the default. The store must not be full.</summary>
    public int Take(in UdpEndPoint peer, uint tick)
    {
        int entryIndex = _firstFree;
        if (entryIndex == None) entryIndex = UsedEnd++;
        ref SessionEntry<TSession> entry = ref Entries[entryIndex];
        Debug.Assert(entry is { State: EntryState.Free, ReferenceCount: 0, Peer.IsDefault: true });
        if (entryIndex == _firstFree) _firstFree = (int)entry.SeenTick;
        entry.Peer = peer;
        entry.SeenTick = tick;
        entry.Generation++;
        entry.State = EntryState.Live;
        return entryIndex;
    }

    public void Free(int entryIndex)
    {
        ref SessionEntry<TSession> entry = ref Entries[entryIndex];
        Debug.Assert(entry.State == EntryState.Leaving, "The index would still find a free entry.");
        entry.Session = default!;
        entry.Peer = default;
        entry.ReferenceCount = 0;
        entry.State = EntryState.Free;
        entry.SeenTick = (uint)_firstFree;
        _firstFree = entryIndex;
    }
}
