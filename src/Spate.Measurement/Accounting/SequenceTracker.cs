using System.Numerics;
using System.Runtime.CompilerServices;

namespace Spate.Measurement.Accounting;

/// <summary>
/// Counts exactly what was lost, duplicated and reordered in one stream of numbered datagrams. A ring of one bit per
/// sequence remembers the newest <see cref="WindowSequences"/>; a datagram in order costs one comparison and one bit,
/// a gap costs its length / 64 and at most one pass over the ring, and nothing is allocated after construction.
/// Not thread-safe: one thread adds and reads.
/// </summary>
public sealed class SequenceTracker
{
    /// <summary>
    /// The default window: 65536 sequences in 8 KiB, which is 65 ms of reordering at a million datagrams per second.
    /// </summary>
    public const int DefaultWindowSequences = 65536;

    private const int BitsPerWord = 64;
    private const int MaxWindowSequences = 1 << 24;

    private readonly ulong[] _seen;
    private readonly int _wordMask;

    // Before the first datagram: highest -1 and first 0, so that a stream beginning at 0 takes the fast path at once.
    private long _highest = -1;
    private long _first;
    private long _announced;
    private long _unique;
    private long _duplicated;
    private long _reordered;
    private long _late;

    /// <summary>Makes a tracker that has seen no datagram.</summary>
    /// <param name="windowSequences">The number of sequences to remember: a power of two from 64 to 2^24.</param>
    /// <exception cref="ArgumentOutOfRangeException">The window is not a power of two from 64 to 2^24.</exception>
    public SequenceTracker(int windowSequences = DefaultWindowSequences)
    {
        if (windowSequences is < BitsPerWord or > MaxWindowSequences || !BitOperations.IsPow2(windowSequences))
        {
            throw new ArgumentOutOfRangeException(
                nameof(windowSequences), windowSequences, "The window must be a power of two from 64 to 2^24.");
        }

        WindowSequences = windowSequences;
        _seen = new ulong[windowSequences / BitsPerWord];
        _wordMask = _seen.Length - 1;
    }

    /// <summary>The number of sequences, counted back from the highest seen, that are told apart exactly.</summary>
    public int WindowSequences { get; }

    /// <summary>Whether the sender has announced the end and with it the total.</summary>
    public bool Ended { get; private set; }

    /// <summary>All counts as of now.</summary>
    public SequenceCounts Counts
    {
        get
        {
            long end = Math.Max(_highest + 1, _announced);
            return new SequenceCounts
            {
                Received = _unique + _duplicated + _late,
                Unique = _unique,
                Lost = end - _first - _unique,
                Duplicated = _duplicated,
                Reordered = _reordered,
                Late = _late,
                MissedBeforeFirst = _first,
            };
        }
    }

    /// <summary>Counts one data datagram.</summary>
    /// <param name="sequence">From 0 to <see cref="TestDatagram.MaxSequence"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The sequence is out of range.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(long sequence)
    {
        if (sequence == _highest + 1)
        {
            // The bit may still hold the sequence one window ago; it is set either way, so nothing needs clearing.
            _highest = sequence;
            _seen[(int)(sequence / BitsPerWord) & _wordMask] |= 1UL << (int)sequence;
            _unique++;
        }
        else
        {
            AddOutOfOrder(sequence);
        }
    }

    /// <summary>
    /// Notes the sender's announcement that the stream is over, which makes a loss at its tail known. May be called
    /// again: the largest total counts, and a total below what has arrived changes nothing.
    /// </summary>
    /// <param name="total">How many datagrams were sent, from 0 to <see cref="TestDatagram.MaxSequence"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The total is out of range.</exception>
    public void End(long total)
    {
        ThrowIfOutOfRange(total);
        Ended = true;
        _announced = Math.Max(_announced, total);
    }

    /// <summary>Clears all counts, so that another stream can use the same memory.</summary>
    public void Reset()
    {
        // The ring keeps its bits: each one is set or cleared while the highest sequence rises past it, before it is
        // read.
        Ended = false;
        _highest = -1;
        _first = _announced = _unique = _duplicated = _reordered = _late = 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddOutOfOrder(long sequence)
    {
        ThrowIfOutOfRange(sequence);
        if (sequence > _highest)
        {
            AddAfterGap(sequence);
        }
        else if (_highest - sequence >= WindowSequences)
        {
            _late++;
        }
        else
        {
            AddBehind(sequence);
        }
    }

    private void AddAfterGap(long sequence)
    {
        if (_unique == 0) _first = sequence;

        Forget(_highest + 1, sequence);
        _highest = sequence;
        _seen[(int)(sequence / BitsPerWord) & _wordMask] |= 1UL << (int)sequence;
        _unique++;
    }

    private void AddBehind(long sequence)
    {
        ref ulong word = ref _seen[(int)(sequence / BitsPerWord) & _wordMask];
        ulong bit = 1UL << (int)sequence;
        if ((word & bit) != 0)
        {
            _duplicated++;
            return;
        }

        word |= bit;
        _unique++;
        _reordered++;
        _first = Math.Min(_first, sequence);
    }

    /// <summary>
    /// Clears the bits of the sequences that a gap skips: from the first up to, but not including, the end.
    /// </summary>
    private void Forget(long from, long end)
    {
        if (end - from >= WindowSequences)
        {
            Array.Clear(_seen);
            return;
        }

        while (from < end)
        {
            int bit = (int)(from % BitsPerWord);
            int bits = (int)Math.Min(BitsPerWord - bit, end - from);
            ulong mask = ulong.MaxValue >> (BitsPerWord - bits) << bit;
            _seen[(int)(from / BitsPerWord) & _wordMask] &= ~mask;
            from += bits;
        }
    }

    private static void ThrowIfOutOfRange(long value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TestDatagram.MaxSequence);
    }
}
