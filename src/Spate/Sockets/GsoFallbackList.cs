namespace Spate.Sockets;

/// <summary>
/// Destinations whose route refuses GSO messages. For a while they get plain datagrams: all datagrams, or those at
/// least as large as the smallest segments that were refused. The kernel compares a segment with the path MTU
/// (udp_send_skb), so smaller segments may still go. Bounded: a new entry replaces the oldest.
/// </summary>
internal sealed class GsoFallbackList(TimeProvider time, UdpEndPoint remote)
{
    public const int MaxCount = 256;

    /// <summary>The smallest refused size of a route that accepts no GSO messages at all.</summary>
    public const int AllSizes = 0;

    /// <summary>Routes and drivers change rarely; ten minutes cost one refused GSO message each at most.</summary>
    public static readonly TimeSpan RetryAfter = TimeSpan.FromMinutes(10);

    private readonly Lock _lock = new();
    private readonly Dictionary<UdpEndPoint, Entry> _entries = [];
    private readonly Queue<UdpEndPoint> _oldestFirst = new();

    /// <summary>
    /// The smallest refused size of all destinations; a send of smaller segments need not look here. Larger than any
    /// segment while the list is empty. Read without the lock: a send that misses an entry made at the same moment has
    /// one more GSO message refused.
    /// </summary>
    public int SmallestBytes { get; private set; } = int.MaxValue;

    /// <summary>
    /// Whether the peer gets plain datagrams of this size. The port does not matter: it is the route that refuses.
    /// </summary>
    public bool Contains(in UdpEndPoint peer, int segmentBytes)
    {
        UdpEndPoint address = AddressOf(peer);
        lock (_lock)
        {
            if (_entries.TryGetValue(address, out Entry entry) && IsOver(entry))
            {
                RemoveExpired();
                _ = _entries.TryGetValue(address, out entry);
            }

            return entry.IsSet && segmentBytes >= entry.SmallestBytes;
        }
    }

    /// <summary>Notes that the peer's route refuses segments of this size, and so larger ones.</summary>
    public void Add(in UdpEndPoint peer, int segmentBytes)
    {
        UdpEndPoint address = AddressOf(peer);
        lock (_lock)
        {
            if (_entries.TryGetValue(address, out Entry entry) && IsOver(entry))
            {
                RemoveExpired();
                entry = default;
            }

            if (entry.IsSet)
            {
                if (segmentBytes >= entry.SmallestBytes) return;
                _entries[address] = entry with { SmallestBytes = segmentBytes };
                SmallestBytes = Math.Min(SmallestBytes, segmentBytes);
                return;
            }

            _entries[address] = new Entry(IsSet: true, time.GetTimestamp(), segmentBytes);
            _oldestFirst.Enqueue(address);
            if (_oldestFirst.Count > MaxCount) _entries.Remove(_oldestFirst.Dequeue());
            FindSmallest();
        }
    }

    // On a connected socket the peer need not be named.
    private UdpEndPoint AddressOf(in UdpEndPoint peer)
    {
        UdpEndPoint destination = peer.IsDefault ? remote : peer;
        return destination.IsDefault ? destination : destination.WithPort(0);
    }

    private bool IsOver(in Entry entry) => time.GetElapsedTime(entry.AddedAt) >= RetryAfter;

    // An entry keeps the time when it was added, so the queue is ordered by age.
    private void RemoveExpired()
    {
        while (_oldestFirst.TryPeek(out UdpEndPoint oldest) && IsOver(_entries[oldest]))
        {
            _entries.Remove(_oldestFirst.Dequeue());
        }

        FindSmallest();
    }

    private void FindSmallest()
    {
        int smallestBytes = int.MaxValue;
        foreach (Entry entry in _entries.Values) smallestBytes = Math.Min(smallestBytes, entry.SmallestBytes);
        SmallestBytes = smallestBytes;
    }

    private readonly record struct Entry(bool IsSet, long AddedAt, int SmallestBytes);
}
