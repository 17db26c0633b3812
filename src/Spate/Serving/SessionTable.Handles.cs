using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    /// <summary>
    /// Finds the session of a peer and holds it. A held session does not expire, and it outlives a
    /// <see cref="Remove"/>, until it was released as often as it was held. Use it for work that goes on after the
    /// datagram was handled, as in a pipeline.
    /// </summary>
    /// <param name="peer">The peer.</param>
    /// <param name="hold">The right to the session; the default value if the peer has none.</param>
    /// <returns>Whether the peer has a session.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is under way.</exception>
    public bool TryHold(in UdpEndPoint peer, out SessionHold hold)
    {
        ThrowIfChanging();
        if (!TryGet(in peer, out _))
        {
            hold = default;
            return false;
        }

        ref SessionEntry<TSession> entry = ref _entries[_lastEntry];
        entry.HoldCount++;
        hold = new SessionHold(_lastEntry + 1, entry.Generation);
        return true;
    }

    /// <summary>Finds a held session without its peer, and even if it was removed.</summary>
    /// <param name="hold">A hold of this table that is not yet released.</param>
    /// <returns>The session in place.</returns>
    /// <exception cref="ArgumentException">
    /// The hold is the default value, or it was released and its session has ended.
    /// </exception>
    public SessionRef<TSession> Get(SessionHold hold) => new(ref _entries[EntryOf(hold)]);

    /// <summary>
    /// Releases a hold. Its session counts as seen now. If the session was removed and this was its last hold, it ends.
    /// Only the table's thread may call: other threads pass their holds to that thread.
    /// </summary>
    /// <param name="hold">A hold of this table that is not yet released.</param>
    /// <exception cref="ArgumentException">
    /// The hold is the default value or released already. A second release is not noticed while others hold the
    /// session.
    /// </exception>
    /// <exception cref="InvalidOperationException">Another change of this table is under way.</exception>
    public void Release(SessionHold hold)
    {
        BeginChange();
        try
        {
            int entryIndex = EntryOf(hold);
            ref SessionEntry<TSession> entry = ref _entries[entryIndex];
            entry.SeenTick = _tick;
            _hasFound = true;
            entry.HoldCount--;
            if (entry.HoldCount == 0 && entry.State == EntryState.Leaving) End(entryIndex, SessionEnd.Removed);
        }
        finally
        {
            _isChanging = false;
        }
    }

    private int EntryOf(SessionHold hold)
    {
        int entryIndex = hold.EntryNumber - 1;
        if ((uint)entryIndex < (uint)_entries.Length)
        {
            ref readonly SessionEntry<TSession> entry = ref _entries[entryIndex];
            if (entry.HoldCount > 0 && entry.Generation == hold.Generation) return entryIndex;
        }

        throw new ArgumentException(
            "The hold is the default value or was released already: release it once, by the table that gave it.",
            nameof(hold));
    }
}
