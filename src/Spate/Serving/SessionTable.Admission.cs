using System.Diagnostics;
using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    private readonly TableEvents _tableEvents;
    private long _refusedFull;
    private long _refusedByPrefix;
    private long _refusedByRate;

    /// <summary>
    /// Gives a peer a session, if the limits allow it. Call the method only after you have accepted the peer. Source
    /// addresses can be forged, so a peer should first prove its address, for instance by returning a cookie; otherwise
    /// forged addresses fill the table. The method allocates nothing. If the table is full and the limits allow the
    /// peer, the method first ends an expired session. It searches for an expired session in at most as many entries as
    /// one call of <see cref="Age"/> visits. A refusal changes no session and does not count for the rate limits. It is
    /// only counted in <see cref="Refusals"/>.
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
    /// The callback <see cref="SessionEnded{TSession}"/> threw when the method ended an expired session to make room in
    /// a full table. That session has ended, and the peer has no session.
    /// </exception>
    public SessionAdmission TryAdmit(in UdpEndPoint peer, out SessionRef<TSession> session)
    {
        if (peer.IsDefault) throw new ArgumentException("The default UdpEndPoint is not a peer.", nameof(peer));
        if (TryGet(in peer, out session)) return SessionAdmission.Known;
        if (_store.IsFull && !_clock.HasLimit) return Refuse(SessionAdmission.Full);
        BeginChange();
        try
        {
            long now = _clock.ReadStamps();
            SetTick(_clock.TickOf(now));
            if (_store.IsFull)
            {
                // The limits are checked first, so that no session ends for a peer that a limit refuses.
                SessionAdmission limited = _limiter.Check(in peer, now);
                if (limited != SessionAdmission.Admitted) return Refuse(limited);
                if (!TryReclaim()) return Refuse(SessionAdmission.Full);
            }

            SessionAdmission admission = _limiter.Admit(in peer, now);
            if (admission != SessionAdmission.Admitted) return Refuse(admission);
            int entryIndex = _store.Take(in peer, _tick);
            _index.Add(HashOf(in peer), entryIndex);
            Count++;
            Debug.Assert(Count <= MaxSessions && Find(HashOf(in peer), in peer) == entryIndex);
            session = new SessionRef<TSession>(ref _entries[entryIndex]);
            return SessionAdmission.Admitted;
        }
        finally
        {
            _isChanging = false;
        }
    }

    // Counts the refusal. Only the table's thread writes the counters; any thread may read them.
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
