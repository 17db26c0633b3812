using System.Runtime.CompilerServices;
using Spate.Interop;
using Spate.Serving.Sessions;

namespace Spate.Serving;

public sealed partial class SessionTable<TSession>
{
    // The number of peers whose sessions are prefetched together. This number of fetches keeps a CPU busy, and their
    // data still fits in its first-level cache.
    private const int MaxPrefetchCount = 64;

    // A smaller table stays in the second-level cache of a CPU, so prefetching gains nothing.
    private const long MinPrefetchBytes = 256 << 10;

    private readonly bool _prefetchPays;

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

    /// <inheritdoc cref="Prefetch(ReceiveBatch)"/>
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
