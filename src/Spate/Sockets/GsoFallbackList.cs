using System.Diagnostics;

namespace Spate.Sockets;

/// <summary>
/// Destinations whose route refuses GSO messages, and which therefore get plain datagrams for a while. This applies to
/// all datagrams, or only to those at least as large as the smallest segments that were refused. Smaller segments may
/// still be sent with GSO, because the kernel compares the segment size with the path MTU (udp_send_skb). The list is
/// bounded: a new entry replaces the oldest.
/// </summary>
internal sealed class GsoFallbackList(TimeProvider time, UdpEndPoint remote)
{
    public const int MaxCount = 256;

    /// <summary>
    /// The smallest refused size to note for a route that refuses GSO messages of every segment size.
    /// </summary>
    public const int AllSizes = 0;

    /// <summary>
    /// How long a destination gets plain datagrams. Routes and drivers change rarely, and the next attempt after ten
    /// minutes costs at most one refused GSO message.
    /// </summary>
    public static readonly TimeSpan RetryAfter = TimeSpan.FromMinutes(10);

    private readonly Lock _lock = new();
    private readonly Dictionary<UdpAddress, Entry> _entries = [];
    private readonly Queue<UdpAddress> _oldestFirst = new();

    /// <summary>
    /// The smallest refused size of all destinations: for smaller segments, a send need not call
    /// <see cref="Contains"/>. Larger than any segment while the list is empty. The property is read without the lock:
    /// a send that misses an entry added at the same moment only causes one more refused GSO message.
    /// </summary>
    public int SmallestBytes { get; private set; } = int.MaxValue;

    /// <summary>
    /// Whether segments of this size must be sent to this peer as plain datagrams. The peer's port does not matter,
    /// because GSO messages are refused by the route.
    /// </summary>
    public bool Contains(in UdpEndPoint peer, int segmentBytes)
    {
        lock (_lock)
        {
            return TryGet(AddressOf(peer), out Entry entry) && segmentBytes >= entry.SmallestBytes;
        }
    }

    /// <summary>Notes that the peer's route refuses segments of this size and all larger segments.</summary>
    public void Add(in UdpEndPoint peer, int segmentBytes)
    {
        Debug.Assert(segmentBytes >= AllSizes);
        UdpAddress address = AddressOf(peer);
        lock (_lock)
        {
            if (TryGet(address, out Entry entry))
            {
                if (segmentBytes >= entry.SmallestBytes) return;
                _entries[address] = entry with { SmallestBytes = segmentBytes };
                SmallestBytes = Math.Min(SmallestBytes, segmentBytes);
                return;
            }

            _entries[address] = new Entry(time.GetTimestamp(), segmentBytes);
            _oldestFirst.Enqueue(address);
            if (_oldestFirst.Count > MaxCount) _entries.Remove(_oldestFirst.Dequeue());
            FindSmallest();
        }
    }

    // The key of a peer's entry. On a connected socket the peer may be default, which means the remote end point.
    private UdpAddress AddressOf(in UdpEndPoint peer) => peer.IsDefault ? remote.Address : peer.Address;

    private bool IsOver(in Entry entry) => time.GetElapsedTime(entry.AddedAt) >= RetryAfter;

    // Gets the entry of an address. If it has expired, removes all expired entries, which are first in the queue: the
    // queue is ordered by age, because an entry keeps the time when it was added.
    private bool TryGet(in UdpAddress address, out Entry entry)
    {
        if (!_entries.TryGetValue(address, out entry)) return false;
        if (!IsOver(entry)) return true;
        while (_oldestFirst.TryPeek(out UdpAddress oldest) && IsOver(_entries[oldest]))
            _entries.Remove(_oldestFirst.Dequeue());
        FindSmallest();
        return false;
    }

    private void FindSmallest()
    {
        Debug.Assert(
            _entries.Count == _oldestFirst.Count && _entries.Count <= MaxCount,
            "Each destination is in the queue once, and the list is bounded.");
        int smallestBytes = int.MaxValue;
        foreach (Entry entry in _entries.Values) smallestBytes = Math.Min(smallestBytes, entry.SmallestBytes);
        SmallestBytes = smallestBytes;
    }

    private readonly record struct Entry(long AddedAt, int SmallestBytes);
}
