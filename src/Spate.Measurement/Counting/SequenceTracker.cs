using System.Numerics;
using System.Runtime.CompilerServices;

namespace Spate.Measurement.Counting;

/// <summary>
/// Counts exactly what was lost, duplicated and reordered in one stream of numbered datagrams. A ring of one bit per
/// sequence remembers the newest <see cref="WindowSequences"/>; a datagram in order costs one comparison and one bit,
/// a gap costs its length / 64 and at most one pass over the ring, and nothing is allocated after construction.
/// Not thread-safe: one thread adds and reads.
/// </summary>
internal sealed class SequenceTracker
{
    /// <summary>65536 sequences in 8 KiB: 65 ms of reordering at a million datagrams per second.</summary>
    public const int DefaultWindowSequences = 65536;

    /// <summary>The extent is known for so many newest gaps, or for half the window. They take 16 KiB.</summary>
    public const int MaxKnownGaps = 1024;

    private const int BitsPerWord = 64;
    private const int MaxWindowSequences = 1 << 24;

    // The ring holds the word of the highest sequence and those before it, and _leaving the word before these, of which
    // a part is still in the window. A word is judged as it leaves: its sequences are out of the window then, so
    // nothing can arrive for them any more. Bits above the highest sequence are 0.
    private readonly ulong[] _seen;
    private readonly int _wordMask;
    private ulong _leaving;

    private readonly SequenceLengths _judged = new();
    private readonly LossCounter _loss;
    private readonly GapLog _gaps;

    // Before the first datagram: highest -1 and first 0, so that a stream beginning at 0 takes the fast path at once.
    private long _highest = -1;
    private long _first;
    private bool _isFirstKnown;
    private long _announced;
    private long _unique;
    private long _duplicated;
    private long _reordered;
    private long _late;

    /// <summary>The window is a power of two from 64 to 2^24.</summary>
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
        _loss = new LossCounter(_judged);
        _gaps = new GapLog(Math.Min(windowSequences / 2, MaxKnownGaps));
    }

    /// <summary>The number of sequences, counted back from the highest seen, that are told apart exactly.</summary>
    public int WindowSequences { get; }

    public bool Ended { get; private set; }

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

    /// <summary>As of now: what is missing is lost. A reading passes over the window and allocates.</summary>
    public SequenceLengths Lengths
    {
        get
        {
            var lengths = new SequenceLengths();
            lengths.Add(_judged);
            var loss = new LossCounter(lengths, _loss);
            long newest = WordOf(_highest);
            Judge(loss, newest - _seen.Length, _leaving, BitsPerWord);
            for (long word = newest - _seen.Length + 1; word < newest; word++)
            {
                Judge(loss, word, _seen[(int)word & _wordMask], BitsPerWord);
            }

            Judge(loss, newest, _seen[(int)newest & _wordMask], (int)(_highest % BitsPerWord) + 1);
            loss.AddLost(Math.Max(0, _announced - (_highest + 1)));
            loss.End();
            return lengths;
        }
    }

    /// <summary>
    /// Notes where the stream begins, as a handshake has told. From then on a loss at the head of the stream counts as
    /// lost, where otherwise nothing tells it from datagrams that were sent before this receiver listened. Called
    /// before any datagram is added.
    /// </summary>
    public void Begin(long first)
    {
        ThrowIfOutOfRange(first);
        if (_unique > 0) throw new InvalidOperationException("Begin was called after datagrams were added.");
        _first = first;
        _highest = first - 1;
        _isFirstKnown = true;
    }

    /// <summary>Counts one data datagram, from 0 to <see cref="TestDatagram.MaxSequence"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(long sequence)
    {
        if (sequence == _highest + 1)
        {
            if (sequence % BitsPerWord == 0) MoveTo(WordOf(sequence));
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
    /// Counts data datagrams with consecutive sequences; the last one is in the range of sequences too. Returns how
    /// many of them were first copies within the window.
    /// </summary>
    internal long AddRun(long first, int count)
    {
        long uniqueBefore = _unique;
        long end = first + count;
        while (first < end && first != _highest + 1) AddOutOfOrder(first++);
        if (first < end) AddInOrder((int)(end - first));
        return _unique - uniqueBefore;
    }

    /// <summary>
    /// Notes the sender's announcement that the stream is over, which makes a loss at its tail known. May be called
    /// again: the largest total counts, and a total below what has arrived changes nothing.
    /// </summary>
    public void End(long total)
    {
        ThrowIfOutOfRange(total);
        Ended = true;
        _announced = Math.Max(_announced, total);
    }

    public void Reset()
    {
        Array.Clear(_seen);
        _leaving = 0;
        _judged.Clear();
        _loss.Clear();
        _gaps.Clear();
        Ended = _isFirstKnown = false;
        _highest = -1;
        _first = _announced = _unique = _duplicated = _reordered = _late = 0;
    }

    private static long WordOf(long sequence) => sequence >> 6; // rounds -1 down, as a division would not

    private void AddInOrder(int count)
    {
        _unique += count;
        while (count > 0)
        {
            long next = _highest + 1;
            int bit = (int)(next % BitsPerWord);
            if (bit == 0) MoveTo(WordOf(next));
            int bits = Math.Min(BitsPerWord - bit, count);
            _seen[(int)(next / BitsPerWord) & _wordMask] |= ulong.MaxValue >> (BitsPerWord - bits) << bit;
            _highest += bits;
            count -= bits;
        }
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
        bool isBeginning = _unique == 0 && !_isFirstKnown;
        if (isBeginning) _first = sequence;

        _unique++;
        _gaps.Add(isBeginning ? 0 : _highest + 1, _unique);
        MoveTo(WordOf(sequence));
        _highest = sequence;
        _seen[(int)(sequence / BitsPerWord) & _wordMask] |= 1UL << (int)sequence;
    }

    private void AddBehind(long sequence)
    {
        long word = WordOf(sequence);
        ref ulong seen = ref _leaving;
        if (word > WordOf(_highest) - _seen.Length) seen = ref _seen[(int)word & _wordMask];
        ulong bit = 1UL << (int)sequence;
        if ((seen & bit) != 0)
        {
            _duplicated++;
            return;
        }

        seen |= bit;
        _unique++;
        _reordered++;
        _first = Math.Min(_first, sequence);
        if (_gaps.TryFind(sequence, out long arrival)) _judged.ReorderExtents.Add(_unique - arrival);
        else _judged.UnknownExtents++;
    }

    /// <summary>Makes room for the word of a new highest sequence, and judges the words that leave.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void MoveTo(long word)
    {
        long newest = WordOf(_highest);
        long oldest = word - _seen.Length;

        // After a whole ring and the word that was leaving, all that had arrived has been judged.
        long stop = Math.Min(word, newest + _seen.Length + 1);
        while (newest < stop)
        {
            Judge(_loss, newest - _seen.Length, _leaving, BitsPerWord);
            newest++;
            ref ulong seen = ref _seen[(int)newest & _wordMask];
            (_leaving, seen) = (seen, 0);
        }

        if (newest < word)
        {
            long lostFrom = Math.Max(_first, (newest - _seen.Length) * BitsPerWord);
            _loss.AddLost(Math.Max(0, (oldest * BitsPerWord) - lostFrom));
        }
    }

    /// <summary>Tells a counter of a word's sequences, from the first of the stream on.</summary>
    private void Judge(LossCounter loss, long word, ulong seen, int count)
    {
        long before = Math.Max(0, _first - (word * BitsPerWord));
        if (before < count) loss.Add(seen >> (int)before, count - (int)before);
    }

    private static void ThrowIfOutOfRange(long value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TestDatagram.MaxSequence);
    }
}
