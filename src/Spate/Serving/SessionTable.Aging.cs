using System.Diagnostics;
using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    // An expiry also removes the session from the index. That costs about as much as visiting this many entries.
    private const int EntriesPerExpiry = 8;

    private AgingCursor _cursor;
    private uint _agedTick;
    private int _agingBacklog;

    // The state of the search for an expired session, which TryAdmit makes in a full table. One round visits each used
    // entry once, and may take several calls.
    private uint _searchedOver;
    private int _searchNext;
    private int _searchLeft;
    private bool _hasSearched;

    /// <summary>
    /// The number of entries that <see cref="Age"/> should have visited by its latest call but has not, because
    /// <see cref="SessionTableOptions.MaxAgingEntriesPerPass"/> limits each call. While the number is 0, sessions end
    /// in the time that <see cref="Age"/> documents. If it is above 0, sessions may end later: call <see cref="Age"/>
    /// more often, or raise the limit. The event <c>AgingBehind</c> of the event source <c>Spate.Serving</c> reports a
    /// backlog, at most once per 10 s. Any thread may read the property.
    /// </summary>
    public int AgingBacklog => Volatile.Read(ref _agingBacklog);

    /// <summary>
    /// Ends sessions that were idle for too long, a few in each call. Call the method in the server's loop, after each
    /// batch or at each tick of the loop's timer. Most calls only read the clock.
    /// </summary>
    /// <remarks>
    /// A cursor visits all entries in use within a quarter of <see cref="SessionTableOptions.IdleLimit"/>, but at most
    /// <see cref="SessionTableOptions.MaxAgingEntriesPerPass"/> entries in one call. So a session ends between 1.0 and
    /// 1.3 idle limits after the last lookup that found it, plus the time between two calls. Let n be the number of
    /// entries in use and m the limit per call. Then 4 n / m calls are needed per idle limit, or 36 n / m calls while
    /// all sessions expire. With fewer calls, sessions end later, and <see cref="AgingBacklog"/> is above 0. A session
    /// never ends early: a lookup does not read the clock, so the table treats the lookup as made at the next clock
    /// reading, by this method or by <see cref="TryAdmit"/>.
    /// </remarks>
    /// <returns>The number of sessions that expired in this call.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is still running.</exception>
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

    /// <summary>The number of entries that ageing has visited since the table was made; for tests.</summary>
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
    /// Ends one expired session, so that a full table has room for a new session. Returns false if the search found
    /// none. One call visits at most as many entries as one call of <see cref="Age"/>. After a round over all entries,
    /// no new round begins until more sessions have expired.
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
            Debug.Assert(_searchLeft >= 0 && entryIndex < _store.UsedEnd);
            _searchNext = entryIndex + 1 < _store.UsedEnd ? entryIndex + 1 : 0;
            if (TryExpire(entryIndex)) return true;
        }

        return false;
    }
}
