using System.Runtime.CompilerServices;

namespace Spate.Serving.Sessions;

/// <summary>
/// The entries of a table, in one array that never grows. The entry that was freed last is used first; an unused entry
/// is taken only if no freed entry is left. Memory after the used entries is never touched, so the system need not
/// provide its pages.
/// </summary>
internal struct SessionStore<TSession>(int maxEntryCount)
{
    private const int None = -1;

    public readonly SessionEntry<TSession>[] Entries = new SessionEntry<TSession>[maxEntryCount];

    private int _firstFree = None;

    /// <summary>The end of the entries that were ever in use.</summary>
    public int UsedEnd { get; private set; }

    public readonly bool IsFull => _firstFree == None && UsedEnd == Entries.Length;

    public readonly long ReservedBytes => (long)Entries.Length * Unsafe.SizeOf<SessionEntry<TSession>>();

    /// <summary>Takes an entry, whose session is the default value. The store must not be full.</summary>
    public int Take(in UdpEndPoint peer, uint tick)
    {
        int entryIndex = _firstFree;
        if (entryIndex == None) entryIndex = UsedEnd++;
        ref SessionEntry<TSession> entry = ref Entries[entryIndex];
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
        entry.Session = default!;
        entry.Peer = default;
        entry.ReferenceCount = 0;
        entry.State = EntryState.Free;
        entry.SeenTick = (uint)_firstFree;
        _firstFree = entryIndex;
    }
}
