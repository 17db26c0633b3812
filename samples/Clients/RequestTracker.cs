using System.Diagnostics.CodeAnalysis;
using Spate;

/// <summary>
/// Requests that wait for an answer, each until it is completed or lost. A request is due at once, and again after each
/// timeout, which doubles with every try. The client chooses the ids: only its protocol knows how wide they are, and
/// whether they must be hard to guess. Each operation takes constant time, and allocates nothing. For one thread.
/// </summary>
internal sealed class RequestTracker<TRequest>
{
    private const int None = -1;
    private const int MaxTriesLimit = 16;   // the last timeout is 32,768 times the first
    private static readonly TimeSpan MaxFirstTimeout = TimeSpan.FromHours(1);

    private readonly Entry[] _entries;
    private readonly Dictionary<int, int> _indexById;
    private readonly long _firstTimeout;
    private readonly int _maxTries;
    private readonly TimeProvider _time;

    // One queue for each number of tries made. The requests of a queue have the same timeout, so the first one is due
    // first, and no sorting is needed.
    private readonly (int First, int Last)[] _queues;

    private int _firstFree;

    /// <param name="capacity">How many requests may wait at the same time.</param>
    /// <param name="maxTries">How often a request is sent.</param>
    /// <param name="firstTimeout">How long the first try waits for an answer.</param>
    /// <param name="time">The clock of the deadlines.</param>
    public RequestTracker(int capacity, int maxTries, TimeSpan firstTimeout, TimeProvider time)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(capacity);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxTries);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(maxTries, MaxTriesLimit);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(firstTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(firstTimeout, MaxFirstTimeout);
        _indexById = new Dictionary<int, int>(capacity);
        _entries = new Entry[capacity];
        for (int i = 0; i < capacity; i++) _entries[i].Next = i + 1 < capacity ? i + 1 : None;
        _queues = new (int First, int Last)[maxTries + 1];
        Array.Fill(_queues, (None, None));
        _maxTries = maxTries;
        _firstTimeout = (long)(firstTimeout.TotalSeconds * time.TimestampFrequency);
        _time = time;
    }

    /// <summary>The number of requests that wait.</summary>
    public int Count => _indexById.Count;

    /// <summary>Whether no request can be added.</summary>
    public bool IsFull => _firstFree == None;

    /// <summary>The time until a request is due, for a receive: 0 if one is, infinite if none waits.</summary>
    public TimeSpan UntilDue
    {
        get
        {
            long dueAt = long.MaxValue;
            foreach ((int first, _) in _queues)
            {
                if (first != None) dueAt = Math.Min(dueAt, _entries[first].DueAt);
            }

            if (dueAt == long.MaxValue) return Timeout.InfiniteTimeSpan;
            TimeSpan left = _time.GetElapsedTime(_time.GetTimestamp(), dueAt);
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    /// <summary>Adds a request, which is due at once.</summary>
    /// <returns>False if the id is in use, or the tracker is full.</returns>
    public bool TryAdd(int id, in UdpEndPoint peer, TRequest request)
    {
        int index = _firstFree;
        if (index == None || !_indexById.TryAdd(id, index)) return false;
        _firstFree = _entries[index].Next;
        _entries[index] = new Entry { Id = id, Peer = peer, Request = request, DueAt = _time.GetTimestamp() };
        Enqueue(index);
        return true;
    }

    /// <summary>Finds the request that waits for an answer with this id from this peer.</summary>
    public bool TryFind(int id, in UdpEndPoint peer, [MaybeNullWhen(false)] out TRequest request)
    {
        int index = IndexOf(id, peer);
        request = index == None ? default : _entries[index].Request;
        return index != None;
    }

    /// <summary>Ends the request that waits for an answer with this id from this peer.</summary>
    public bool TryComplete(int id, in UdpEndPoint peer)
    {
        int index = IndexOf(id, peer);
        if (index == None) return false;
        Dequeue(index);
        Free(index);
        return true;
    }

    /// <summary>Takes the next request that is due: it is to be sent, or lost after the last try.</summary>
    /// <param name="now">A time stamp from before the first of a row of calls, so that the row ends.</param>
    /// <param name="due">The request, which waits for the next timeout unless it is lost.</param>
    public bool TryTakeDue(long now, out DueRequest<TRequest> due)
    {
        foreach ((int index, _) in _queues)
        {
            if (index == None || _entries[index].DueAt > now) continue;
            ref Entry entry = ref _entries[index];
            bool isLost = entry.Tries == _maxTries;
            due = new DueRequest<TRequest>(entry.Id, entry.Peer, entry.Request, isLost);
            Dequeue(index);
            if (isLost)
            {
                Free(index);
                return true;
            }

            entry.DueAt = now + (_firstTimeout << entry.Tries);
            entry.Tries++;
            Enqueue(index);
            return true;
        }

        due = default;
        return false;
    }

    private int IndexOf(int id, in UdpEndPoint peer) =>
        _indexById.TryGetValue(id, out int index) && _entries[index].Peer == peer ? index : None;

    private void Enqueue(int index)
    {
        ref (int First, int Last) queue = ref _queues[_entries[index].Tries];
        (_entries[index].Previous, _entries[index].Next) = (queue.Last, None);
        if (queue.Last == None) queue.First = index;
        else _entries[queue.Last].Next = index;
        queue.Last = index;
    }

    private void Dequeue(int index)
    {
        ref Entry entry = ref _entries[index];
        ref (int First, int Last) queue = ref _queues[entry.Tries];
        if (entry.Previous == None) queue.First = entry.Next;
        else _entries[entry.Previous].Next = entry.Next;
        if (entry.Next == None) queue.Last = entry.Previous;
        else _entries[entry.Next].Previous = entry.Previous;
    }

    private void Free(int index)
    {
        _indexById.Remove(_entries[index].Id);
        _entries[index] = new Entry { Next = _firstFree };
        _firstFree = index;
    }

    private struct Entry
    {
        public int Id;
        public UdpEndPoint Peer;
        public TRequest Request;
        public int Tries;
        public long DueAt;

        // Of the queue, or of the entries that are free.
        public int Previous;
        public int Next;
    }
}

/// <summary>A request to send, or one that is lost: no try was answered.</summary>
internal readonly record struct DueRequest<TRequest>(int Id, UdpEndPoint Peer, TRequest Request, bool IsLost);
