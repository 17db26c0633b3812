namespace Spate.Serving.Sessions;

/// <summary>
/// One session and its bookkeeping. They are next to each other in memory, so that a lookup costs one cache miss and
/// not two. A session never moves to another entry.
/// </summary>
internal struct SessionEntry<TSession>
{
    /// <summary>The peer of the session; the default value while the entry is free.</summary>
    public UdpEndPoint Peer;

    /// <summary>
    /// The tick of the latest lookup that found the session. In a free entry, this is the index of the next free entry.
    /// </summary>
    public uint SeenTick;

    /// <summary>The number of references that were added and not yet released.</summary>
    public int ReferenceCount;

    /// <summary>
    /// The number of sessions that this entry has had, modulo 2^16. The number shows whether a handle refers to the
    /// present session or to an earlier one.
    /// </summary>
    public ushort Generation;

    public EntryState State;

    public TSession Session;
}

internal enum EntryState : byte
{
    /// <summary>The entry has no session.</summary>
    Free = 0,

    /// <summary>The entry has a session, and lookups find it.</summary>
    Live,

    /// <summary>
    /// The entry has a session that was removed while it had references. Its handles find it, but lookups do not.
    /// </summary>
    Leaving,
}
