using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Spate.Serving.Sessions;

namespace Spate.Serving;

// How sessions begin and end: admission, references, removal, ageing.
public sealed partial class SessionTable<TSession>
{
    // An expiry also removes the session from the index. That costs about as much as visiting this many entries.
    private const int EntriesPerExpiry = 8;

    // The number of ticks in a cycle of ageing: a quarter of the idle timeout.
    private const int TicksPerCycle = SessionClock.TicksPerLimit / 4;

    private readonly TableEvents _tableEvents;
    private readonly long[] _refused = new long[(int)SessionAdmission.RateLimited + 1];

    // Ageing visits all entries again and again, in cycles. As time passes, further entries become due.
    private uint _agedTick;
    private int _agedNext;
    private int _dueCount;
    private int _agingBacklog;

    // The state of the search for an expired session, which GetOrAdmit makes in a full table. One round visits each
    // used entry once, and may take several calls.
    private uint _searchedOver;
    private int _searchNext;
    private int _searchLeft;
    private bool _hasSearched;

    /// <summary>
    /// Gives a peer a session, if the limits allow it. Call the method only after you have accepted the peer. Source
    /// addresses can be forged, so a peer should first prove its address, for instance by returning a cookie; otherwise
    /// forged addresses fill the table. The method allocates nothing. If the table is full and the limits allow the
    /// peer, the method first ends an expired session. It searches for an expired session in at most as many entries as
    /// one call of <see cref="RemoveExpired"/> visits. A refusal changes no session and does not count for the rate
    /// limits. It is only counted in <see cref="Refusals"/>.
    /// </summary>
    /// <param name="peer">The peer.</param>
    /// <param name="session">
    /// The new session, for you to fill in, or the session that the peer already had; none
    /// (<see cref="SessionRef{TSession}.IsNone"/>) if the peer was refused.
    /// </param>
    /// <returns>The result. Only <see cref="SessionAdmission.Admitted"/> counts for the rate limits.</returns>
    /// <exception cref="ArgumentException">
    /// <paramref name="peer"/> is the default value, which is not the address of a peer.
    /// </exception>
    /// <exception cref="InvalidOperationException">Another change of this table is still running.</exception>
    /// <exception cref="Exception">
    /// The callback <see cref="SessionEndedCallback{TSession}"/> threw when the method ended an expired session to make
    /// room in a full table. That session has ended, and the peer has no session.
    /// </exception>
    public SessionAdmission GetOrAdmit(in UdpEndPoint peer, out SessionRef<TSession> session)
    {
        if (peer.IsDefault) throw new ArgumentException("The default UdpEndPoint is not a peer.", nameof(peer));
        if (TryGet(in peer, out session)) return SessionAdmission.Known;
        if (_store.IsFull && !_clock.HasLimit) return Refuse(SessionAdmission.Full);
        using Change change = BeginChange();
        long now = _clock.ReadStamps();
        SetTick(_clock.TickOf(now));

        // The limits are checked first, so that no session ends for a peer that a limit refuses.
        SessionAdmission admission = _limiter.Check(in peer, now);
        if (admission != SessionAdmission.Admitted) return Refuse(admission);
        if (_store.IsFull && !TryReclaim()) return Refuse(SessionAdmission.Full);
        _limiter.Pay(now);
        int entryIndex = _store.Take(in peer, _tick);
        _index.Add(HashOf(in peer), entryIndex);
        Count++;
        Debug.Assert(Count <= MaxSessions && Find(HashOf(in peer), in peer) == entryIndex);
        session = new SessionRef<TSession>(ref _entries[entryIndex]);
        return SessionAdmission.Admitted;
    }

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
        using Change change = BeginChange();
        int entryIndex = EntryOf(handle);
        ref SessionEntry<TSession> entry = ref _entries[entryIndex];
        entry.SeenTick = _tick;
        _hasFound = true;
        entry.ReferenceCount--;
        if (entry.ReferenceCount == 0 && entry.State == EntryState.Leaving) End(entryIndex, SessionEndReason.Removed);
    }

    /// <summary>
    /// Removes the session of a peer, so that lookups no longer find the session. If the session has references, it
    /// ends when the last reference is released.
    /// </summary>
    /// <param name="peer">The peer.</param>
    /// <returns>Whether the peer had a session.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is still running.</exception>
    public bool Remove(in UdpEndPoint peer)
    {
        using Change change = BeginChange();
        uint hash = HashOf(in peer);
        int entryIndex = Find(hash, in peer);
        if (entryIndex == None) return false;
        Detach(hash, entryIndex);
        if (_entries[entryIndex].ReferenceCount == 0) End(entryIndex, SessionEndReason.Removed);
        return true;
    }

    /// <summary>
    /// The number of entries that <see cref="RemoveExpired"/> should have visited by its latest call but has not,
    /// because <see cref="SessionTableOptions.MaxAgingEntriesPerPass"/> limits each call. While the number is 0,
    /// sessions end in the time that <see cref="RemoveExpired"/> documents. If it is above 0, sessions may end later:
    /// call <see cref="RemoveExpired"/> more often, or raise the limit. The event <c>AgingBehind</c> of the event
    /// source <c>Spate.Serving</c> reports a backlog, at most once per 10 s. Any thread may read the property.
    /// </summary>
    public int AgingBacklog => Volatile.Read(ref _agingBacklog);

    /// <summary>
    /// Ends sessions that were idle for too long, a few in each call. Call the method in the server's loop, after each
    /// batch or at each tick of the loop's timer. Most calls only read the clock.
    /// </summary>
    /// <remarks>
    /// A cursor visits all entries in use within a quarter of <see cref="SessionTableOptions.IdleTimeout"/>, but at
    /// most <see cref="SessionTableOptions.MaxAgingEntriesPerPass"/> entries in one call. So a session ends between 1.0
    /// and 1.3 idle timeouts after the last lookup that found it, plus the time between two calls. Let n be the number
    /// of entries in use and m the limit per call. Then 4 n / m calls are needed per idle timeout, or 36 n / m calls
    /// while all sessions expire. With fewer calls, sessions end later, and <see cref="AgingBacklog"/> is above 0. A
    /// session never ends early: a lookup does not read the clock, so the table treats the lookup as made at the next
    /// clock reading, by this method or by <see cref="GetOrAdmit"/>.
    /// </remarks>
    /// <returns>The number of sessions that expired in this call.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is still running.</exception>
    public int RemoveExpired()
    {
        using Change change = BeginChange();
        SetTick(_clock.TickOf(_clock.ReadStamps()));
        if (!_clock.HasLimit) return 0;
        AddDue(unchecked(_tick - _agedTick));
        _agedTick = _tick;
        int expiredCount = Expire();
        Volatile.Write(ref _agingBacklog, _dueCount);
        if (_dueCount > 0) _tableEvents.ReportBacklog(_dueCount);
        return expiredCount;
    }

    /// <summary>The number of entries that ageing has visited since the table was made; for tests.</summary>
    internal long AgedEntryCount { get; private set; }

    /// <summary>
    /// Ends every session with <see cref="SessionEndReason.Stopped"/>, including sessions with references; their
    /// handles must not be released any more. Call the method when the loop that uses the table ends, so that the
    /// callback can free the resources of the sessions. For a table made by
    /// <see cref="UdpShard.CreateSessionTable{TSession}"/>, the server calls the method. Afterwards the table is empty
    /// and can be used again.
    /// </summary>
    /// <returns>The number of sessions that ended.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is still running.</exception>
    /// <exception cref="Exception">
    /// The first exception that the callback <see cref="SessionEndedCallback{TSession}"/> threw. All sessions have
    /// ended even then.
    /// </exception>
    public int Clear()
    {
        using Change change = BeginChange();
        int endedCount = 0;
        ExceptionDispatchInfo? fault = null;
        for (int entryIndex = 0; entryIndex < _store.UsedEnd; entryIndex++)
        {
            ref SessionEntry<TSession> entry = ref _entries[entryIndex];
            if (entry.State == EntryState.Free) continue;
            if (entry.State == EntryState.Live) Detach(HashOf(in entry.Peer), entryIndex);
            endedCount++;
            try
            {
                End(entryIndex, SessionEndReason.Stopped);
            }
            catch (Exception thrown)
            {
                fault ??= ExceptionDispatchInfo.Capture(thrown);
            }
        }

        Debug.Assert(Count == 0);
        fault?.Throw();
        return endedCount;
    }

    // Counts the refusal. Only the table's thread writes the counters; any thread may read them.
    private SessionAdmission Refuse(SessionAdmission reason)
    {
        ref long counter = ref _refused[(int)reason];
        Volatile.Write(ref counter, counter + 1);
        _tableEvents.ReportRefusal(reason, counter);
        return reason;
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

    // Makes more entries due because ticks have passed, but never more than there are.
    private void AddDue(uint tickCount)
    {
        int entryCount = _store.UsedEnd;
        long perTick = ((long)entryCount + TicksPerCycle - 1) / TicksPerCycle;
        _dueCount = (int)Math.Min(entryCount, _dueCount + (perTick * Math.Min(tickCount, TicksPerCycle)));
    }

    // Visits due entries. If the limit of a call ends the visits, the others stay due.
    private int Expire()
    {
        int expiredCount = 0;
        for (int leftCount = _maxAgingEntriesPerPass; leftCount > 0 && _dueCount > 0; leftCount--)
        {
            _dueCount--;
            AgedEntryCount++;
            if (!TryExpire(Step(ref _agedNext))) continue;
            leftCount -= EntriesPerExpiry;
            expiredCount++;
        }

        return expiredCount;
    }

    private int Step(ref int next)
    {
        int entryIndex = next < _store.UsedEnd ? next : 0;
        Debug.Assert(entryIndex < _store.UsedEnd, "A table without used entries has nothing to visit.");
        next = entryIndex + 1;
        return entryIndex;
    }

    private bool TryExpire(int entryIndex)
    {
        ref readonly SessionEntry<TSession> entry = ref _entries[entryIndex];
        if (entry.State != EntryState.Live || entry.ReferenceCount != 0 || !_seen.IsOver(entry.SeenTick)) return false;
        Detach(HashOf(in entry.Peer), entryIndex);
        End(entryIndex, SessionEndReason.Expired);
        return true;
    }

    /// <summary>
    /// Ends one expired session, so that a full table has room for a new session. Returns false if the search found
    /// none. One call visits at most as many entries as one call of <see cref="RemoveExpired"/>. After a round over all
    /// entries, no new round begins until more sessions have expired.
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
            if (TryExpire(Step(ref _searchNext))) return true;
        }

        return false;
    }

    /// <summary>Removes the session from the index, so that lookups do not find it. Its entry stays in use.</summary>
    private void Detach(uint hash, int entryIndex)
    {
        Debug.Assert(_isChanging && _entries[entryIndex].State == EntryState.Live);
        _index.Remove(hash, entryIndex);
        Debug.Assert(Find(hash, in _entries[entryIndex].Peer) == None, "A peer has one entry in the index.");
        _entries[entryIndex].State = EntryState.Leaving;
        if (_lastEntry == entryIndex) _lastEntry = None;
        Count--;
        Debug.Assert(Count >= 0);
    }

    /// <summary>Calls the callback for a detached session and frees its entry.</summary>
    private void End(int entryIndex, SessionEndReason reason)
    {
        ref SessionEntry<TSession> entry = ref _entries[entryIndex];
        Debug.Assert(
            entry.State == EntryState.Leaving && (entry.ReferenceCount == 0 || reason == SessionEndReason.Stopped),
            "A session with references ends only with the table.");
        try
        {
            _ended?.Invoke(in entry.Peer, ref entry.Session, reason);
        }
        finally
        {
            _store.Free(entryIndex);
        }
    }

    private Change BeginChange()
    {
        ThrowIfChanging();
        _isChanging = true;
        return new Change(this);
    }

    private void ThrowIfChanging()
    {
        if (!_isChanging) return;
        throw new InvalidOperationException(
            "Another change of this session table is under way: a table belongs to one thread at a time, " +
            "and its SessionEndedCallback may only look sessions up.");
    }

    /// <summary>A change of the table, from its begin to its disposal.</summary>
    private readonly ref struct Change(SessionTable<TSession> table)
    {
        public void Dispose() => table._isChanging = false;
    }
}
