namespace Spate.Serving.Sessions;

/// <summary>
/// One session and its bookkeeping, next to each other in memory, so that a lookup costs one cache miss and not two. A
/// session is never moved to another entry.
/// </summary>
internal struct SessionEntry<TSession>
{
    /// <summary>The peer of the session; the default value while the entry is free.</summary>
    public UdpEndPoint Peer;

    /// <summary>The tick of the latest lookup that found the session; in a free entry, the next free entry.</summary>
    public uint SeenTick;

    /// <summary>References that were added and not yet released.</summary>
    public int ReferenceCount;

    /// <summary>
    /// Counts the sessions that this entry has had, so that a handle of an earlier one is recognised.
    /// </summary>
    public ushort Generation;

    public EntryState State;

    public TSession Session;
}

internal enum EntryState : byte
{
    /// <summary>The entry has no session.</summary>
    Free = 0,

    /// <summary>A session that lookups find.</summary>
    Live,

    /// <summary>A session that was removed while it had references: handles find it, lookups do not.</summary>
    Leaving,
}
