using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    // The search in the index that an expiry needs costs about as much as looking at this many entries.
    private const int EntriesPerExpiry = 8;

    private AgingCursor _cursor;
    private uint _agedTick;

    /// <summary>
    /// Ends sessions that were idle for too long, a few in each call. Call it from the server's loop, after each batch
    /// or on each tick of its timer. Most calls only read the clock.
    /// </summary>
    /// <remarks>
    /// A cursor visits all entries in use within a quarter of <see cref="SessionTableOptions.IdleLimit"/>, and at most
    /// <see cref="SessionTableOptions.MaxAgingEntriesPerPass"/> entries in one call. So a session ends between 1.0 and
    /// 1.3 idle limits after it was last found, plus the time between two calls. With n entries in use and m as that
    /// largest number, this takes 4 n / m calls in an idle limit, and 36 n / m while all sessions expire. With fewer
    /// calls sessions end later. A session never ends early: a lookup that found it counts as of the next call of this
    /// method.
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
            if (_tick != judgedTick) _cursor.AddDue(unchecked(_tick - judgedTick), _store.UsedEnd);
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
        int leftCount = _maxAgingEntriesPerPass;
        while (leftCount > 0 && _cursor.TryStep(_store.UsedEnd, out int entryIndex))
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
    /// Whether more than an idle limit lies between the ticks. The difference is signed, because ticks wrap and a
    /// session that was found since the last pass has the later tick.
    /// </summary>
    private static bool IsOver(uint seenTick, uint judgedTick) =>
        unchecked((int)(judgedTick - seenTick)) > SessionClock.TicksPerLimit;
}
