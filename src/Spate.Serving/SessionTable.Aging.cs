using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    // An expiry costs an index search with its cache misses besides the look at the entry.
    private const int EntriesPerExpiry = 8;

    private AgingCursor _hand;
    private uint _agedTick;

    /// <summary>
    /// Reads the clock and lets go of sessions that were idle for too long, in small steps: call it from the server's
    /// loop, after each batch or on each tick of its timer. Mostly it reads the clock and returns.
    /// </summary>
    /// <remarks>
    /// A cursor visits the entries in use, one turn in a quarter of <see cref="SessionTableOptions.IdleLimit"/>, and
    /// by at most <see cref="SessionTableOptions.AgingEntriesPerPass"/> entries a call. So a session ends between 1.0
    /// and 1.3 idle limits after it was last found, plus the time between two calls. With n entries in use, 4 n /
    /// AgingEntriesPerPass calls in an idle limit keep up with that, 36 n / AgingEntriesPerPass even while all expire;
    /// with fewer calls the cursor is late by as much, since what it may not do in one call is left to the next. A
    /// session never ends early: what was found after the previous call counts as seen then.
    /// </remarks>
    /// <returns>The sessions that expired in this call.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is under way.</exception>
    public int Age()
    {
        BeginChange();
        try
        {
            uint judgedTick = _agedTick;
            SetTick(_clock.TickOf(_clock.ReadStamps()));
            if (!_clock.HasLimit) return 0;
            _agedTick = _tick;
            if (_tick != judgedTick) _hand.Wind(unchecked(_tick - judgedTick), _store.UsedEnd);
            return Expire(judgedTick);
        }
        finally
        {
            _isChanging = false;
        }
    }

    /// <summary>Entries that ageing has looked at since the table was made; for tests.</summary>
    internal long AgedEntryCount { get; private set; }

    private int Expire(uint judgedTick)
    {
        int expiredCount = 0;
        int leftCount = _agingEntriesPerPass;
        while (leftCount > 0 && _hand.TryStep(_store.UsedEnd, out int entryIndex))
        {
            AgedEntryCount++;
            leftCount--;
            ref readonly SessionEntry<TSession> entry = ref _entries[entryIndex];
            if (entry.State != EntryState.Live || entry.HoldCount != 0 || !IsOver(entry.SeenTick, judgedTick)) continue;
            leftCount -= EntriesPerExpiry;
            expiredCount++;
            Detach(HashOf(in entry.Peer), entryIndex);
            End(entryIndex, SessionEnd.Expired);
        }

        return expiredCount;
    }

    /// <summary>
    /// Whether a whole idle limit lies between. A session that was found since the last pass has the later tick, and
    /// ticks wrap: the difference is taken as signed.
    /// </summary>
    private static bool IsOver(uint seenTick, uint judgedTick) =>
        unchecked((int)(judgedTick - seenTick)) > SessionClock.TicksPerLimit;
}
