using System.Runtime.CompilerServices;
using Spate.Interop;
using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    // Enough fetches to keep a CPU busy, and little enough data for its first-level cache.
    private const int MaxPrefetchCount = 64;

    // A smaller table stays in the second-level cache of a CPU, so that fetching ahead gains nothing.
    private const long MinPrefetchBytes = 256 << 10;

    private readonly bool _prefetchPays;

    /// <summary>
    /// Starts to bring the sessions of a batch's peers into the CPU's cache, all at the same time, so that lookups do
    /// not wait for them one by one. Call the method after a receive and before the lookups. It changes nothing but
    /// speed: it pays in tables of many thousand sessions, and does nothing in small tables and on CPUs other than x64.
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

    /// <inheritdoc cref="Prefetch(ReceiveBatch)"/>
    /// <param name="peers">The peers to be looked up soon; up to a few hundred at a time.</param>
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
}
