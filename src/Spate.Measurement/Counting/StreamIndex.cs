using System.Numerics;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Counting;

/// <summary>
/// A map of fixed size from stream ids, which remote senders choose, to small numbers. It uses open addressing, is at
/// most half full and never grows. The hash is keyed with random numbers, so that no sender can choose ids that
/// collide.
/// </summary>
internal sealed class StreamIndex
{
    private readonly ulong[] _ids;
    private readonly int[] _values; // the value + 1; 0 is a free slot
    private readonly int _mask;
    private readonly ulong _addKey;
    private readonly ulong _multiplyKey;

    public StreamIndex(int capacity)
    {
        int slots = (int)BitOperations.RoundUpToPowerOf2((uint)capacity * 2);
        Capacity = capacity;
        _ids = new ulong[slots];
        _values = new int[slots];
        _mask = slots - 1;
        _addKey = SystemRandom.NextUInt64();
        _multiplyKey = SystemRandom.NextUInt64() | 1;
    }

    public int Capacity { get; }

    public int Count { get; private set; }

    public bool TryGet(ulong id, out int value)
    {
        value = _values[Find(id)] - 1;
        return value >= 0;
    }

    /// <summary>Adds an id that is not there, while <see cref="Count"/> is below <see cref="Capacity"/>.</summary>
    public void Add(ulong id, int value)
    {
        int slot = Find(id);
        if (Count == Capacity || _values[slot] != 0)
        {
            throw new InvalidOperationException("The id is in the index already, or the index is full.");
        }

        _ids[slot] = id;
        _values[slot] = value + 1;
        Count++;
    }

    /// <summary>Removes an id that is there.</summary>
    public void Remove(ulong id)
    {
        int hole = Find(id);
        if (_values[hole] == 0) throw new InvalidOperationException("The id is not in the index.");

        // Linear probing without tombstones (Knuth 6.4, algorithm R): an entry that the hole would cut off moves into
        // it.
        for (int slot = (hole + 1) & _mask; _values[slot] != 0; slot = (slot + 1) & _mask)
        {
            int distanceFromHome = (slot - Home(_ids[slot])) & _mask;
            if (distanceFromHome >= ((slot - hole) & _mask))
            {
                _ids[hole] = _ids[slot];
                _values[hole] = _values[slot];
                hole = slot;
            }
        }

        _values[hole] = 0;
        Count--;
    }

    /// <summary>The slot that holds the id, or the free slot where the id belongs.</summary>
    private int Find(ulong id)
    {
        int slot = Home(id);
        while (_values[slot] != 0 && _ids[slot] != id)
        {
            slot = (slot + 1) & _mask;
        }

        return slot;
    }

    private int Home(ulong id)
    {
        ulong high = Math.BigMul(id ^ _addKey, _multiplyKey, out ulong low);
        return (int)(high ^ low) & _mask;
    }
}

/// <summary>
/// The totals that senders of datagrams too small for numbers announce. Every announcement is sent several times and
/// counts once. The memory is bounded: only the newest senders are remembered, so a late copy of an old sender's
/// announcement could count again.
/// </summary>
internal sealed class UnnumberedTotals
{
    private const int MaxRemembered = 1024;

    private readonly StreamIndex _known = new(MaxRemembered);
    private readonly Queue<ulong> _order = new();

    public long Senders { get; private set; }

    public long Datagrams { get; private set; }

    public void Add(ulong streamId, long total)
    {
        if (_known.TryGet(streamId, out _)) return;
        if (_known.Count == _known.Capacity) _known.Remove(_order.Dequeue());
        _known.Add(streamId, 0);
        _order.Enqueue(streamId);
        Senders++;
        Datagrams = Saturating.Add(Datagrams, total);
    }
}
