using System.Diagnostics;
using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    /// <summary>
    /// Finds the session of a peer and adds a reference to that session. A session with references does not expire. If
    /// such a session is removed, it ends only when every reference is released. Use the handle for work that continues
    /// after the datagram was handled, as in a pipeline.
    /// </summary>
    /// <param name="peer">The peer.</param>
    /// <param name="handle">The handle of the session; the default value if the peer has no session.</param>
    /// <returns>Whether the peer has a session.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is still running.</exception>
    public bool TryAddRef(in UdpEndPoint peer, out SessionHandle handle)
    {
        ThrowIfChanging();
        if (!TryGet(in peer, out _))
        {
            handle = default;
            return false;
        }

        ref SessionEntry<TSession> entry = ref _entries[_lastEntry];
        Debug.Assert(entry.State == EntryState.Live && entry.Peer == peer, "TryGet notes the entry that it finds.");
        entry.ReferenceCount++;
        handle = new SessionHandle(_lastEntry + 1, entry.Generation);
        return true;
    }

    /// <summary>Returns the session of a handle, even if the session was removed. The peer is not needed.</summary>
    /// <param name="handle">A handle of this table that is not yet released.</param>
    /// <returns>The session in place.</returns>
    /// <exception cref="ArgumentException">
    /// The handle is the default value, or it was already released and the session has no other references.
    /// </exception>
    public SessionRef<TSession> Get(SessionHandle handle) => new(ref _entries[EntryOf(handle)]);

    /// <summary>
    /// Releases a handle. This counts as a lookup that finds the session now. If the session was removed and this was
    /// its last reference, the session ends. Only the table's thread may call the method: other threads pass their
    /// handles to that thread.
    /// </summary>
    /// <param name="handle">A handle of this table that is not yet released.</param>
    /// <exception cref="ArgumentException">
    /// The handle is the default value or was already released. A second release cannot be detected while the session
    /// has other references.
    /// </exception>
    /// <exception cref="InvalidOperationException">Another change of this table is still running.</exception>
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
            "The handle is the default value or was released already: release it once, by the table that gave it.",
            nameof(handle));
    }
}
