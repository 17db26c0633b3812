using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    /// <summary>
    /// Finds the session of a peer and adds a reference to it. A session with references does not expire, and it
    /// outlives a <see cref="Remove"/> until every reference is released. Use the handle for work that goes on after
    /// the datagram was handled, as in a pipeline.
    /// </summary>
    /// <param name="peer">The peer.</param>
    /// <param name="handle">The handle of the session; the default value if the peer has no session.</param>
    /// <returns>Whether the peer has a session.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is under way.</exception>
    public bool TryAddRef(in UdpEndPoint peer, out SessionHandle handle)
    {
        ThrowIfChanging();
        if (!TryGet(in peer, out _))
        {
            handle = default;
            return false;
        }

        ref SessionEntry<TSession> entry = ref _entries[_lastEntry];
        entry.ReferenceCount++;
        handle = new SessionHandle(_lastEntry + 1, entry.Generation);
        return true;
    }

    /// <summary>Finds the session of a handle without its peer, even if the session was removed.</summary>
    /// <param name="handle">A handle of this table that is not yet released.</param>
    /// <returns>The session in place.</returns>
    /// <exception cref="ArgumentException">
    /// The handle is the default value, or it was released and its session has ended.
    /// </exception>
    public SessionRef<TSession> Get(SessionHandle handle) => new(ref _entries[EntryOf(handle)]);

    /// <summary>
    /// Releases a handle. Its session counts as seen now. If the session was removed and this was its last reference,
    /// the session ends. Only the table's thread may call: other threads pass their handles to that thread.
    /// </summary>
    /// <param name="handle">A handle of this table that is not yet released.</param>
    /// <exception cref="ArgumentException">
    /// The handle is the default value or released already. A second release is not noticed while the session has other
    /// references.
    /// </exception>
    /// <exception cref="InvalidOperationException">Another change of this table is under way.</exception>
    public void Release(SessionHandle handle)
    {
        BeginChange();
        try
        {
            int entryIndex = EntryOf(handle);
            ref SessionEntry<TSession> entry = ref _entries[entryIndex];
            entry.SeenTick = _tick;
            _hasFound = true;
            entry.ReferenceCount--;
            if (entry.ReferenceCount == 0 && entry.State == EntryState.Leaving) End(entryIndex, SessionEnd.Removed);
        }
        finally
        {
            _isChanging = false;
        }
    }

    private int EntryOf(SessionHandle handle)
    {
        int entryIndex = handle.EntryNumber - 1;
        if ((uint)entryIndex < (uint)_entries.Length)
        {
            ref readonly SessionEntry<TSession> entry = ref _entries[entryIndex];
            if (entry.ReferenceCount > 0 && entry.Generation == handle.Generation) return entryIndex;
        }

        throw new ArgumentException(
            "The hold is the default value or was released already: release it once, by the table that gave it.",
            nameof(handle));
    }
}
