namespace Spate.Sockets;

/// <summary>
/// Destinations whose route refuses trains, so that they get plain datagrams for a while. Bounded: the oldest entry
/// gives way. A send looks here only while <see cref="HasAny"/>.
/// </summary>
internal sealed class DemotionList(TimeProvider time, UdpEndPoint remote)
{
    public const int MaxCount = 256;

    /// <summary>Routes and drivers change rarely; ten minutes cost one refused train each at most.</summary>
    public static readonly TimeSpan RetryAfter = TimeSpan.FromMinutes(10);

    private readonly Lock _lock = new();
    private readonly Dictionary<UdpEndPoint, long> _demotedAt = [];
    private readonly Queue<UdpEndPoint> _oldestFirst = new();

    /// <summary>
    /// Read without the lock: a send that misses an entry made at the same moment has one more train refused.
    /// </summary>
    public bool HasAny { get; private set; }

    /// <summary>
    /// Whether the peer gets plain datagrams. The port does not matter: it is the route that refuses.
    /// </summary>
    public bool Contains(in UdpEndPoint peer)
    {
        UdpEndPoint address = AddressOf(peer);
        lock (_lock)
        {
            if (!_demotedAt.TryGetValue(address, out long demotedAt)) return false;
            if (time.GetElapsedTime(demotedAt) < RetryAfter) return true;
            RemoveExpired();
            return _demotedAt.ContainsKey(address);
        }
    }

    public void Add(in UdpEndPoint peer)
    {
        UdpEndPoint address = AddressOf(peer);
        lock (_lock)
        {
            if (!_demotedAt.TryAdd(address, time.GetTimestamp())) return;
            _oldestFirst.Enqueue(address);
            if (_oldestFirst.Count > MaxCount) _demotedAt.Remove(_oldestFirst.Dequeue());
            HasAny = true;
        }
    }

    // On a connected socket the peer need not be named.
    private UdpEndPoint AddressOf(in UdpEndPoint peer)
    {
        UdpEndPoint destination = peer.IsDefault ? remote : peer;
        return destination.IsDefault ? destination : destination.WithPort(0);
    }

    // Entries are never renewed, so the queue is in the order of their age.
    private void RemoveExpired()
    {
        while (_oldestFirst.TryPeek(out UdpEndPoint oldest)
               && time.GetElapsedTime(_demotedAt[oldest]) >= RetryAfter)
        {
            _demotedAt.Remove(_oldestFirst.Dequeue());
        }

        HasAny = _demotedAt.Count > 0;
    }
}
