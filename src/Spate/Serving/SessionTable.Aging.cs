using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    // The search in the index that an expiry needs costs about as much as looking at this many entries.
    private const int EntriesPerExpiry = 8;

    private AgingCursor _cursor;
    private uint _agedTick;
    private int _agingBacklog;

    // A round of an admission that searches a full table for a session that is over.
    private uint _searchedOver;
    private int _searchNext;
    private int _searchLeft;
    private bool _hasSearched;

    /// <summary>
    /// Entries that <see cref="Age"/> should have looked at by its latest call and has not, because the call was
    /// limited by <see cref="SessionTableOptions.MaxAgingEntriesPerPass"/>. While it is 0, sessions end in the time
    /// that <see cref="Age"/> states. Above 0 they may end later: call <see cref="Age"/> more often, or raise the
    /// limit. The event <c>AgingBehind</c> of the event source <c>Spate.Serving</c> reports it at most once per 10 s.
    /// Any thread may read it.
    /// </summary>
    public int AgingBacklog => Volatile.Read(ref _agingBacklog);

    /// <summary>
    /// Ends sessions that were idle for too long, a few in each call. Call it from the server's loop, after each batch
    /// or on each tick of its timer. Most calls only read the clock.
    /// </summary>
    /// <remarks>
    /// A cursor visits all entries in use within a quarter of <see cref="SessionTableOptions.IdleLimit"/>, and at most
    /// <see cref="SessionTableOptions.MaxAgingEntriesPerPass"/> entries in one call. So a session ends between 1.0 and
    /// 1.3 idle limits after it was last found, plus the time between two calls. With n entries in use and m as that
    /// largest number, this takes 4 n / m calls in an idle limit, and 36 n / m while all sessions expire. With fewer
    /// calls sessions end later, and <see cref="AgingBacklog"/> is more than 0 meanwhile. A session never ends early: a
    /// lookup that found the session is dated to the next call of this method.
    /// </remarks>
    /// <returns>The number of sessions that expired in this call.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is under way.</exception>
    public int Age()
    {
        BeginChange();
        try
        {
            SetTick(_clock.TickOf(_clock.ReadStamps()));
            if (!_clock.HasLimit) return 0;
            if (_tick != _agedTick) _cursor.AddDue(unchecked(_tick - _agedTick), _store.UsedEnd);
            _agedTick = _tick;
            int expiredCount = Expire();
            Volatile.Write(ref _agingBacklog, _cursor.DueCount);
            if (_cursor.DueCount > 0) _tableEvents.ReportBacklog(_cursor.DueCount);
            return expiredCount;
        }
        finally
        {
            _isChanging = false;
        }
    }

    /// <summary>Entries that ageing has looked at since the table was made; for tests.</summary>
    internal long AgedEntryCount { get; private set; }

    private int Expire()
    {
        int expiredCount = 0;
        int leftCount = _maxAgingEntriesPerPass;
        while (leftCount > 0 && _cursor.TryStep(_store.UsedEnd, out int entryIndex))
        {
            AgedEntryCount++;
            leftCount--;
            if (!TryExpire(entryIndex)) continue;
            leftCount -= EntriesPerExpiry;
            expiredCount++;
        }

        return expiredCount;
    }

    private bool TryExpire(int entryIndex)
    {
        ref readonly SessionEntry<TSession> entry = ref _entries[entryIndex];
        if (entry.State != EntryState.Live || entry.ReferenceCount != 0 || !_seen.IsOver(entry.SeenTick)) return false;
        Detach(HashOf(in entry.Peer), entryIndex);
        End(entryIndex, SessionEnd.Expired);
        return true;
    }

    /// <summary>
    /// Ends one expired session, so that a full table has room for another session. One call looks at no more entries
    /// than one call of <see cref="Age"/>. After a round that found none, no new round begins before the clock makes
    /// more sessions expire.
    /// </summary>
    private bool TryReclaim()
    {
        if (!_seen.HasOver) return false;
        if (_searchedOver != _seen.LastOver || !_hasSearched)
        {
            (_searchedOver, _searchLeft, _hasSearched) = (_seen.LastOver, _store.UsedEnd, true);
        }

        for (int i = Math.Min(_searchLeft, _maxAgingEntriesPerPass); i > 0; i--)
        {
            _searchLeft--;
            int entryIndex = _searchNext;
            _searchNext = entryIndex + 1 < _store.UsedEnd ? entryIndex + 1 : 0;
            if (TryExpire(entryIndex)) return true;
        }

        return false;
    }
}
