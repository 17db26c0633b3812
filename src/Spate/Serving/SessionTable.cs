using System.Diagnostics;
using System.Runtime.CompilerServices;
using Spate.Interop;
using Spate.Serving.Lifetime;
using Spate.Serving.Sessions;

namespace Spate.Serving;

/// <summary>
/// Keeps one session for each peer of a server. The number of sessions, their memory and the rate of new sessions are
/// bounded. Idle sessions are ended a few at a time. Sessions are found by a hash whose key no peer knows.
/// </summary>
/// <remarks>
/// <para>
/// A lookup of the peer that was found last costs one comparison, so consecutive datagrams of one peer are cheap. A
/// lookup of another peer costs a hash and, in a table larger than the CPU's cache, about two cache misses. A lookup
/// that finds no session writes nothing. An unknown peer gets a session only by <see cref="GetOrAdmit"/>, after you
/// have accepted the peer.
/// </para>
/// <para>
/// All memory is reserved when the table is made. So no admission waits for the table to grow, and a flood cannot make
/// the table grow. A session costs 40 bytes, plus the size of <typeparamref name="TSession"/> rounded up to a multiple
/// of 8, plus 16 to 32 bytes of index. The index has cells of 8 bytes; their number is twice <see cref="MaxSessions"/>,
/// rounded up to a power of two. The limit per prefix costs 1 MiB for the whole table. <see cref="ReservedBytes"/> is
/// the sum. Most systems provide the memory pages of entries only when the pages are first used.
/// </para>
/// <para>
/// A table belongs to one thread at a time: give each shard a table of its own. The table has no lock. A change that
/// overlaps a change by another thread throws if the table notices the overlap, which is not certain.
/// </para>
/// <para>Only <see cref="RemoveExpired"/> and <see cref="GetOrAdmit"/> read the clock; a lookup never does.</para>
/// </remarks>
/// <typeparam name="TSession">
/// The data that the table keeps for each peer. A struct is stored in the table itself and is changed in place; a class
/// costs one more cache miss.
/// </typeparam>
public sealed partial class SessionTable<TSession> : ISessionSource
{
    private const int None = -1;

    // The number of peers whose sessions are prefetched together. This number of fetches keeps a CPU busy, and their
    // data still fits in its first-level cache.
    private const int MaxPrefetchCount = 64;

    // A smaller table stays in the second-level cache of a CPU, so prefetching gains nothing.
    private const long MinPrefetchBytes = 256 << 10;

    private readonly SessionClock _clock;
    private readonly AdmissionLimiter _limiter;
    private readonly SessionIndex _index;
    private readonly SessionEntry<TSession>[] _entries;
    private readonly TickLog _seen = new();
    private readonly SessionEndedCallback<TSession>? _ended;
    private readonly int _maxAgingEntriesPerPass;
    private readonly bool _prefetchPays;
    private SessionStore<TSession> _store;
    private UdpEndPoint _lastPeer;
    private int _lastEntry = None;
    private uint _tick;
    private bool _isChanging;
    private bool _hasFound;

    /// <summary>Makes an empty table and reserves its memory.</summary>
    /// <param name="options">The limits and the clock; null for the defaults.</param>
    /// <param name="ended">Called for every session that ends; null for no call.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="OutOfMemoryException">There is not enough memory for this many sessions.</exception>
    public SessionTable(SessionTableOptions? options = null, SessionEndedCallback<TSession>? ended = null)
        : this(options ?? new SessionTableOptions(), ended, firstTick: 0)
    {
    }

    internal SessionTable(
        SessionTableOptions options, SessionEndedCallback<TSession>? ended, uint firstTick, string server = "")
    {
        options.Validate();
        MaxSessions = options.MaxSessions;
        _ended = ended;
        _maxAgingEntriesPerPass = options.MaxAgingEntriesPerPass;
        _clock = new SessionClock(options.Clock, options.IdleTimeout, firstTick);
        _tick = _agedTick = firstTick;
        _limiter = new AdmissionLimiter(options);
        _tableEvents = new TableEvents(options.Clock, server);
        _index = new SessionIndex(MaxSessions);
        _store = new SessionStore<TSession>(MaxSessions);
        _entries = _store.Entries;
        _prefetchPays = _store.ReservedBytes + _index.ReservedBytes >= MinPrefetchBytes;
    }

    /// <summary>
    /// The number of sessions that lookups find. Removed sessions that still have references do not count. Any thread
    /// may read the property.
    /// </summary>
    public int Count { get; private set; }

    /// <summary>The largest number of sessions, including removed sessions that still have references.</summary>
    public int MaxSessions { get; }

    /// <summary>
    /// How many sessions <see cref="GetOrAdmit"/> refused, with one count for each limit. Any thread may read the
    /// property. The meter <c>Spate</c> shows the sum over all tables made by
    /// <see cref="UdpShard.CreateSessionTable{TSession}"/>.
    /// </summary>
    public SessionRefusals Refusals => new()
    {
        Full = Volatile.Read(ref _refused[(int)SessionAdmission.Full]),
        ByPrefix = Volatile.Read(ref _refused[(int)SessionAdmission.PrefixLimited]),
        ByRate = Volatile.Read(ref _refused[(int)SessionAdmission.RateLimited]),
    };

    /// <summary>
    /// The number of bytes reserved for sessions, index and limits. It is fixed: the table never uses more.
    /// </summary>
    public long ReservedBytes => _store.ReservedBytes + _index.ReservedBytes + _limiter.ReservedBytes;

    /// <summary>The index of the entries; for tests.</summary>
    internal SessionIndex Index => _index;

    /// <summary>
    /// Finds the session of a peer, and restarts the idle time of that session. Writes nothing if the peer has no
    /// session.
    /// </summary>
    /// <param name="peer">The peer of a received datagram.</param>
    /// <param name="session">
    /// The session in place, or none (<see cref="SessionRef{TSession}.IsNone"/>) if the peer has no session.
    /// </param>
    /// <returns>Whether the peer has a session.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryGet(in UdpEndPoint peer, out SessionRef<TSession> session)
    {
        int entryIndex = _lastEntry;
        if (entryIndex < 0 || _lastPeer != peer) return TryGetOther(in peer, out session);
        Debug.Assert(_entries[entryIndex].State == EntryState.Live && _entries[entryIndex].Peer == peer);
        session = new SessionRef<TSession>(ref _entries[entryIndex]);
        return true;
    }

    /// <summary>
    /// Starts to load the sessions of a batch's peers into the CPU's cache, all at the same time, so that the lookups
    /// do not wait for the sessions one by one. Call the method after a receive and before the lookups. The call
    /// affects only speed, not results. It helps in tables of many thousand sessions. In small tables, and on CPUs
    /// other than x64, it does nothing.
    /// </summary>
    /// <param name="batch">The received datagrams.</param>
    /// <exception cref="ArgumentNullException"><paramref name="batch"/> is null.</exception>
    public void Prefetch(ReceiveBatch batch)
    {
        ArgumentNullException.ThrowIfNull(batch);
        if (!_prefetchPays) return;
        Span<uint> hashes = stackalloc uint[MaxPrefetchCount];
        int count = 0;
        ref readonly UdpEndPoint last = ref Unsafe.NullRef<UdpEndPoint>();
        foreach (Datagram datagram in batch)
        {
            // The datagrams of one coalesced buffer share one peer in memory.
            ref readonly UdpEndPoint peer = ref datagram.Peer;
            if (Unsafe.AreSame(in peer, in last)) continue;
            last = ref peer;
            hashes[count++] = PrefetchCell(in peer);
            if (count < hashes.Length) continue;
            PrefetchEntries(hashes);
            count = 0;
        }

        PrefetchEntries(hashes[..count]);
    }

    /// <inheritdoc cref="Prefetch(ReceiveBatch)" path="/*[not(self::param)]"/>
    /// <param name="peers">The peers that will be looked up soon. Pass at most a few hundred peers in one call.</param>
    public void Prefetch(ReadOnlySpan<UdpEndPoint> peers)
    {
        if (!_prefetchPays) return;
        Span<uint> hashes = stackalloc uint[MaxPrefetchCount];
        while (!peers.IsEmpty)
        {
            int count = Math.Min(peers.Length, MaxPrefetchCount);
            for (int i = 0; i < count; i++) hashes[i] = PrefetchCell(in peers[i]);
            PrefetchEntries(hashes[..count]);
            peers = peers[count..];
        }
    }

    /// <summary>
    /// Enumerates all sessions that lookups find, in no particular order. During the enumeration, sessions may be
    /// looked up and removed, and references may be added and released. A session that is admitted during the
    /// enumeration may be included or not. The enumeration does not keep a session from ageing.
    /// </summary>
    /// <returns>The enumerator for <see langword="foreach"/>.</returns>
    public Enumerator GetEnumerator() => new(this);

    /// <summary>Returns the hash by which the index finds a peer. Also used by tests.</summary>
    internal static uint HashOf(in UdpEndPoint peer) => (uint)peer.GetHashCode();

    /// <summary>Returns the index of the peer's entry, or -1 if the peer has none. Also used by tests.</summary>
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
        Debug.Assert(entry.State == EntryState.Live, "The index has live sessions only.");
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

        // Repeated lookups of one peer write the tick only once. Forgetting that peer makes its next lookup write the
        // new tick.
        _lastEntry = None;
    }

    private uint PrefetchCell(in UdpEndPoint peer)
    {
        uint hash = HashOf(in peer);
        _index.Prefetch(hash);
        return hash;
    }

    private void PrefetchEntries(ReadOnlySpan<uint> hashes)
    {
        foreach (uint hash in hashes)
        {
            // The first entry with this hash is nearly always the only one.
            uint position = hash;
            int entryIndex = _index.FindNext(hash, ref position);
            if (entryIndex < 0) continue;
            ref SessionEntry<TSession> entry = ref _entries[entryIndex];
            CacheLine.Prefetch(ref entry.Peer);
            CacheLine.Prefetch(ref entry.Session);
        }
    }

    /// <summary>Steps through the sessions of a table.</summary>
    public ref struct Enumerator
    {
        private readonly SessionTable<TSession> _table;
        private int _entryIndex = None;

        internal Enumerator(SessionTable<TSession> table) => _table = table;

        /// <summary>The session to which the last <see cref="MoveNext"/> stepped.</summary>
        public readonly SessionRef<TSession> Current => new(ref _table._entries[_entryIndex]);

        /// <summary>Steps to the next session. Returns false at the end.</summary>
        public bool MoveNext()
        {
            while (++_entryIndex < _table._store.UsedEnd)
            {
                if (_table._entries[_entryIndex].State == EntryState.Live) return true;
            }

            return false;
        }
    }
}
