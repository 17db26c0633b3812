using System.Runtime.CompilerServices;
using Spate.Serving.Lifetime;
using Spate.Serving.Sessions;

namespace Spate.Serving;

/// <summary>
/// Keeps one session for each peer of a server. Number, memory and growth of the sessions are bounded, idle ones end in
/// small steps, and the hash that finds them has a key that no peer knows.
/// </summary>
/// <remarks>
/// <para>
/// A lookup of the peer that was found last costs a comparison, so consecutive datagrams of one peer are cheap. Another
/// peer costs a hash and, in a table larger than the CPU's cache, about two cache misses. A lookup that finds nothing
/// writes nothing: an unknown peer gets a session only by <see cref="TryAdmit"/>, after you have accepted it.
/// </para>
/// <para>
/// All memory is reserved when the table is made and none later, so that no admission ever waits for a table to grow,
/// and a flood cannot make it grow. A session costs 40 bytes, the size of <typeparamref name="TSession"/> rounded up to
/// 8, and 16 to 32 bytes of index (the next power of two above twice the maximum, 8 bytes each); the limit per prefix
/// costs 1 MiB in all. <see cref="ReservedBytes"/> has the sum. Most systems provide the pages of entries only when
/// they are first used.
/// </para>
/// <para>
/// A table belongs to one thread at a time: give each shard its own. The table has no lock. Overlapping changes throw
/// if the table notices them, which is not certain.
/// </para>
/// <para>Time is read by <see cref="Age"/> and <see cref="TryAdmit"/> only, never by a lookup.</para>
/// </remarks>
/// <typeparam name="TSession">
/// The data that the table keeps for each peer. A struct is stored in the table itself and is changed in place; a class
/// costs one more cache miss.
/// </typeparam>
public sealed partial class SessionTable<TSession> : ISessionSource
{
    private const int None = -1;

    private readonly SessionClock _clock;
    private readonly AdmissionLimiter _limiter;
    private readonly SessionIndex _index;
    private readonly SessionEntry<TSession>[] _entries;
    private readonly TickLog _seen = new();
    private readonly SessionEnded<TSession>? _ended;
    private readonly int _maxAgingEntriesPerPass;
    private SessionStore<TSession> _store;
    private UdpEndPoint _lastPeer;
    private int _lastEntry = None;
    private uint _tick;
    private bool _isChanging;
    private bool _hasFound;

    /// <summary>Makes an empty table and reserves its memory.</summary>
    /// <param name="options">Limits and clock; null for the defaults.</param>
    /// <param name="ended">Called for every session that leaves; null: no call.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="OutOfMemoryException">There is not enough memory for this many sessions.</exception>
    public SessionTable(SessionTableOptions? options = null, SessionEnded<TSession>? ended = null)
        : this(options ?? new SessionTableOptions(), ended, firstTick: 0)
    {
    }

    internal SessionTable(
        SessionTableOptions options, SessionEnded<TSession>? ended, uint firstTick, string server = "")
    {
        options.Validate();
        MaxSessions = options.MaxSessions;
        _ended = ended;
        _maxAgingEntriesPerPass = options.MaxAgingEntriesPerPass;
        _clock = new SessionClock(options.TimeProvider, options.IdleLimit, firstTick);
        _tick = _agedTick = firstTick;
        _limiter = new AdmissionLimiter(options);
        _tableEvents = new TableEvents(options.TimeProvider, server);
        _index = new SessionIndex(MaxSessions);
        _store = new SessionStore<TSession>(MaxSessions);
        _entries = _store.Entries;
        _prefetchPays = _store.ReservedBytes + _index.ReservedBytes >= MinPrefetchBytes;
    }

    /// <summary>
    /// The number of sessions that lookups find. Removed sessions that still have references do not count. Any thread
    /// may read it.
    /// </summary>
    public int Count { get; private set; }

    /// <summary>The largest number of sessions. Removed sessions that still have references count.</summary>
    public int MaxSessions { get; }

    /// <summary>
    /// Sessions that <see cref="TryAdmit"/> refused, by limit. Any thread may read it. The meter <c>Spate</c> has the
    /// sum over the tables that <see cref="UdpShard.CreateSessionTable{TSession}"/> makes.
    /// </summary>
    public SessionRefusals Refusals => new()
    {
        Full = Volatile.Read(ref _refusedFull),
        ByPrefix = Volatile.Read(ref _refusedByPrefix),
        ByRate = Volatile.Read(ref _refusedByRate),
    };

    /// <summary>Bytes reserved for sessions, index and limits: fixed, and all that the table ever uses.</summary>
    public long ReservedBytes => _store.ReservedBytes + _index.ReservedBytes + _limiter.ReservedBytes;

    /// <summary>The index of the entries; for tests.</summary>
    internal SessionIndex Index => _index;

    /// <summary>
    /// Finds the session of a peer, and keeps it from ageing. Writes nothing if the peer has no session.
    /// </summary>
    /// <param name="peer">The peer, as a received datagram names it.</param>
    /// <param name="session">The session in place; <see cref="SessionRef{TSession}.IsNone"/> if there is none.</param>
    /// <returns>Whether the peer has a session.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryGet(in UdpEndPoint peer, out SessionRef<TSession> session)
    {
        int entryIndex = _lastEntry;
        if (entryIndex < 0 || _lastPeer != peer) return TryGetOther(in peer, out session);
        session = new SessionRef<TSession>(ref _entries[entryIndex]);
        return true;
    }

    /// <summary>
    /// Removes the session of a peer. From now on lookups do not find it. If the session has references, it ends when
    /// the last reference is released.
    /// </summary>
    /// <param name="peer">The peer.</param>
    /// <returns>Whether the peer had a session.</returns>
    /// <exception cref="InvalidOperationException">Another change of this table is under way.</exception>
    public bool Remove(in UdpEndPoint peer)
    {
        BeginChange();
        try
        {
            uint hash = HashOf(in peer);
            int entryIndex = Find(hash, in peer);
            if (entryIndex == None) return false;
            Detach(hash, entryIndex);
            if (_entries[entryIndex].ReferenceCount == 0) End(entryIndex, SessionEnd.Removed);
            return true;
        }
        finally
        {
            _isChanging = false;
        }
    }

    /// <summary>The hash that places a peer; for tests.</summary>
    internal static uint HashOf(in UdpEndPoint peer) => (uint)peer.GetHashCode();

    /// <summary>The index of the peer's entry, or -1; for tests too.</summary>
    internal int Find(uint hash, in UdpEndPoint peer)
    {
        uint position = hash;
        while (true)
        {
            int entryIndex = _index.FindNext(hash, ref position);
            if (entryIndex < 0 || _entries[entryIndex].Peer == peer) return entryIndex;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryGetOther(in UdpEndPoint peer, out SessionRef<TSession> session)
    {
        int entryIndex = Find(HashOf(in peer), in peer);
        if (entryIndex == None)
        {
            session = default;
            return false;
        }

        ref SessionEntry<TSession> entry = ref _entries[entryIndex];
        if (entry.SeenTick != _tick) entry.SeenTick = _tick;
        _hasFound = true;
        _lastPeer = peer;
        _lastEntry = entryIndex;
        session = new SessionRef<TSession>(ref entry);
        return true;
    }

    private void SetTick(uint tick)
    {
        if (tick == _tick) return;
        _seen.End(_tick, tick, _hasFound);
        _hasFound = false;
        _tick = tick;

        // A lookup of the last peer does not write the tick. Forgetting that peer makes the next lookup write it.
        _lastEntry = None;
    }

    /// <summary>Takes the session out of lookups. Its entry stays in use.</summary>
    private void Detach(uint hash, int entryIndex)
    {
        _index.Remove(hash, entryIndex);
        _entries[entryIndex].State = EntryState.Leaving;
        if (_lastEntry == entryIndex) _lastEntry = None;
        Count--;
    }

    /// <summary>Calls the callback for a detached session and frees its entry.</summary>
    private void End(int entryIndex, SessionEnd end)
    {
        ref SessionEntry<TSession> entry = ref _entries[entryIndex];
        try
        {
            _ended?.Invoke(in entry.Peer, ref entry.Session, end);
        }
        finally
        {
            _store.Free(entryIndex);
        }
    }

    private void BeginChange()
    {
        ThrowIfChanging();
        _isChanging = true;
    }

    private void ThrowIfChanging()
    {
        if (!_isChanging) return;
        throw new InvalidOperationException(
            "Another change of this session table is under way: a table belongs to one thread at a time, " +
            "and its SessionEnded callback may only look sessions up.");
    }
}
