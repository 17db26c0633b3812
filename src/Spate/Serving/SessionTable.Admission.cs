using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    private readonly TableEvents _tableEvents;
    private long _refusedFull;
    private long _refusedByPrefix;
    private long _refusedByRate;

    /// <summary>
    /// Gives a peer a session, if the limits allow. Call it once you have accepted the peer: source addresses can be
    /// forged, so make a peer prove its own (by answering a cookie, for instance) before it may cost an entry.
    /// Allocates nothing. For a peer that the limits allow, a full table first ends a session that <see cref="Age"/>
    /// would end, if it finds one among as many entries as one call of <see cref="Age"/> looks at. A refusal changes
    /// nothing but <see cref="Refusals"/>.
    /// </summary>
    /// <param name="peer">The peer.</param>
    /// <param name="session">
    /// The new session, for you to fill in, or the one that the peer had; none if refused.
    /// </param>
    /// <returns>The result. Limits are charged only for a peer that is admitted.</returns>
    /// <exception cref="ArgumentException">
    /// <paramref name="peer"/> is the default value, which names no peer.
    /// </exception>
    /// <exception cref="InvalidOperationException">Another change of this table is under way.</exception>
    /// <exception cref="Exception">
    /// The exception of the callback for the session that a full table ended. That session has ended; the peer has
    /// none.
    /// </exception>
    public SessionAdmission TryAdmit(in UdpEndPoint peer, out SessionRef<TSession> session)
    {
        if (peer.IsDefault) throw new ArgumentException("The default UdpEndPoint is no peer.", nameof(peer));
        if (TryGet(in peer, out session)) return SessionAdmission.Known;
        if (_store.IsFull && !_clock.HasLimit) return Refuse(SessionAdmission.Full);
        BeginChange();
        try
        {
            long now = _clock.ReadStamps();
            SetTick(_clock.TickOf(now));
            if (_store.IsFull)
            {
                // No session is ended for a peer that a limit refuses.
                SessionAdmission limited = _limiter.Check(in peer, now);
                if (limited != SessionAdmission.Admitted) return Refuse(limited);
                if (!TryReclaim()) return Refuse(SessionAdmission.Full);
            }

            SessionAdmission admission = _limiter.Admit(in peer, now);
            if (admission != SessionAdmission.Admitted) return Refuse(admission);
            int entryIndex = _store.Take(in peer, _tick);
            _index.Add(HashOf(in peer), entryIndex);
            Count++;
            session = new SessionRef<TSession>(ref _entries[entryIndex]);
            return SessionAdmission.Admitted;
        }
        finally
        {
            _isChanging = false;
        }
    }

    // Only the table's thread writes; any thread may read.
    private SessionAdmission Refuse(SessionAdmission reason)
    {
        ref long counter = ref _refusedByRate;
        if (reason == SessionAdmission.Full) counter = ref _refusedFull;
        else if (reason == SessionAdmission.PrefixLimited) counter = ref _refusedByPrefix;
        Volatile.Write(ref counter, counter + 1);
        _tableEvents.ReportRefusal(reason, counter);
        return reason;
    }
}
