using System.Numerics;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Counting;

/// <summary>
/// Follows the streams of many senders at once. Stream ids come from the network, so the memory is bounded: when the
/// table is full, the stream that ended first makes room and stays in the totals. If no stream has ended, a new one is
/// only counted. Not thread-safe: one table per receiving thread, read on that thread.
/// </summary>
internal sealed class StreamTable
{
    public const int DefaultCapacity = 4096;

    /// <summary>So many streams without room are told apart; further ones are not counted as streams.</summary>
    public const int MaxUntrackedStreams = 16384;

    private readonly int _windowSequences;
    private readonly long _deadlineNanoseconds;
    private readonly DelaySamples _delays = new();
    private readonly TestStream[] _streams;
    private readonly StreamIndex _index;
    private readonly Queue<TestStream> _ended = new();
    private int _count;
    private TestStream? _last;

    // Ids of streams that made room. Their late datagrams and further copies of their announcements must not look like
    // a new stream that lost everything before.
    private StreamIndex? _closed;
    private readonly Queue<ulong> _closedOrder = new();
    private StreamIndex? _untracked;
    private UnnumberedTotals? _unnumbered;
    private StreamTotals _folded;
    private SequenceLengths? _foldedLengths;
    private ForeignCounters _foreign;
    private long _untrackedDatagrams;

    /// <summary>
    /// Makes an empty table for 1 to 65536 streams at once. Each stream that appears takes one bit per sequence of its
    /// window and up to 20 KiB; the delays of all streams together take 512 KiB.
    /// </summary>
    public StreamTable(
        int capacity = DefaultCapacity,
        int windowSequences = SequenceTracker.DefaultWindowSequences,
        AccountingOptions? options = null)
    {
        options ??= new AccountingOptions();
        options.Validate();
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(capacity, 65536);
        _ = new SequenceTracker(windowSequences); // refuses a bad window now, not at the first datagram
        _windowSequences = windowSequences;
        _streams = new TestStream[capacity];
        _index = new StreamIndex(capacity);
        _deadlineNanoseconds = options.DeadlineNanoseconds;
    }

    /// <summary>The streams followed now, ended ones included until they make room. Valid until the next add.</summary>
    public ReadOnlySpan<TestStream> Streams => _streams.AsSpan(0, _count);

    public StreamTotals Totals
    {
        get
        {
            StreamTotals totals = _folded + new StreamTotals
            {
                OtherDatagrams = _foreign.Others,
                UnknownDatagrams = _foreign.Unknowns,
                Corrupted = _foreign.Corrupted,
                UntrackedStreams = _untracked?.Count ?? 0,
                UntrackedDatagrams = _untrackedDatagrams,
                UnnumberedSenders = _unnumbered?.Senders ?? 0,
                UnnumberedSent = _unnumbered?.Datagrams ?? 0,
            };
            foreach (TestStream stream in Streams)
            {
                totals += TotalsOf(stream);
            }

            return totals;
        }
    }

    /// <summary>Null where no datagram had a time. Each reading sorts up to 16384 delays.</summary>
    public DelayVariation? DelayVariation => DelayVariation.Of([_delays]);

    internal DelaySamples Delays => _delays;

    /// <summary>Each reading passes over the windows of all streams.</summary>
    public SequenceLengths ReadLengths()
    {
        var lengths = new SequenceLengths();
        if (_foldedLengths is not null) lengths.Add(_foldedLengths);
        foreach (TestStream stream in Streams)
        {
            lengths.Add(stream.Lengths);
        }

        return lengths;
    }

    /// <summary>
    /// Notes how many datagrams a stream had, as if its announcement had arrived. The stream is opened if it is not
    /// followed yet, so that a stream of which nothing arrived is lost as a whole.
    /// </summary>
    public void End(ulong streamId, long total)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(total);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(total, TestDatagram.MaxSequence);
        AddRun(new SequenceRun(new TestDatagram(TestDatagramKind.End, streamId, total), 1, 0, 0));
    }

    internal void AddForeign(in ForeignCounters foreign) => _foreign.Add(foreign);

    internal void AddRun(in SequenceRun run)
    {
        if (run.First.Kind == TestDatagramKind.Total)
        {
            _unnumbered ??= new UnnumberedTotals();
            _unnumbered.Add(run.First.StreamId, run.First.Sequence);
            return;
        }

        TestStream? stream = _last;
        if (stream is null || stream.Id != run.First.StreamId)
        {
            stream = Open(run.First.StreamId);
            if (stream is null)
            {
                AddUnfollowed(run);
                return;
            }

            _last = stream;
        }

        if (run.First.Kind == TestDatagramKind.Data)
        {
            stream.AddRun(run, _deadlineNanoseconds, _delays);
        }
        else
        {
            End(stream, run.First.Sequence);
        }
    }

    /// <summary>The number of streams that have not ended and were silent for the given time.</summary>
    internal int CountSilent(long nowTicks, TimeProvider time, TimeSpan patience)
    {
        int silent = 0;
        foreach (TestStream stream in Streams)
        {
            silent += !stream.Ended && stream.IsSilent(nowTicks, time, patience) ? 1 : 0;
        }

        return silent;
    }

    private void End(TestStream stream, long total)
    {
        if (!stream.Ended) _ended.Enqueue(stream);

        stream.End(total);
    }

    /// <summary>
    /// The stream with this id, which is followed from now on if it is new and there is room; null if it cannot be
    /// followed. A receiver that learns from a handshake which streams will come calls <see cref="TestStream.Begin"/>.
    /// Valid until it makes room for another one.
    /// </summary>
    public TestStream? Open(ulong id)
    {
        if (_index.TryGet(id, out int place)) return _streams[place];

        if (_closed is not null && _closed.TryGet(id, out _)) return null;

        if (_count < _streams.Length)
        {
            var opened = new TestStream(id, _windowSequences);
            _index.Add(id, _count);
            _streams[_count++] = opened;
            return opened;
        }

        return _ended.TryDequeue(out TestStream? oldest) ? Replace(oldest, id) : null;
    }

    private TestStream Replace(TestStream oldest, ulong id)
    {
        _folded += TotalsOf(oldest);
        _foldedLengths ??= new SequenceLengths();
        _foldedLengths.Add(oldest.Lengths);
        Close(oldest.Id);
        _ = _index.TryGet(oldest.Id, out int place);
        _index.Remove(oldest.Id);
        _index.Add(id, place);
        oldest.Reuse(id);
        return oldest;
    }

    private void Close(ulong id)
    {
        _closed ??= new StreamIndex(_streams.Length);
        if (_closed.Count == _closed.Capacity) _closed.Remove(_closedOrder.Dequeue());

        _closed.Add(id, 0);
        _closedOrder.Enqueue(id);
    }

    /// <summary>Counts datagrams of a stream that has made room, or that found no room.</summary>
    private void AddUnfollowed(in SequenceRun run)
    {
        int data = run.First.Kind == TestDatagramKind.Data ? run.Count : 0;
        ulong streamId = run.First.StreamId;
        if (_closed is not null && _closed.TryGet(streamId, out _))
        {
            // The stream's bitmap is gone: a datagram is a first copy or a duplicate, which is what "late" means.
            _folded += new StreamTotals
            {
                Bytes = (long)data * run.PayloadBytes,
                Counts = new SequenceCounts { Received = data, Late = data },
            };
            return;
        }

        _untrackedDatagrams += data;
        _untracked ??= new StreamIndex(MaxUntrackedStreams);
        if (_untracked.Count < _untracked.Capacity && !_untracked.TryGet(streamId, out _)) _untracked.Add(streamId, 0);
    }

    private static StreamTotals TotalsOf(TestStream stream) => new()
    {
        Streams = 1,
        EndedStreams = stream.Ended ? 1 : 0,
        Counts = stream.Counts,
        Bytes = stream.Bytes,
    };
}

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
