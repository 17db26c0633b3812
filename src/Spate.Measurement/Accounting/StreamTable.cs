namespace Spate.Measurement.Accounting;

/// <summary>
/// Follows the streams of many senders at once. Stream ids come from the network, so the memory is bounded: when the
/// table is full, the stream that ended first makes room and stays in the totals. If no stream has ended, a new one is
/// only counted. Not thread-safe: one table per receiving thread, read on that thread.
/// </summary>
public sealed class StreamTable
{
    /// <summary>The default number of streams that are followed at once: 4096.</summary>
    public const int DefaultCapacity = 4096;

    /// <summary>
    /// The number of streams without room that are told apart; further ones are not counted as streams.
    /// </summary>
    public const int MaxUntrackedStreams = 16384;

    private readonly int _windowSequences;
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
    private long _otherDatagrams;
    private long _unknownDatagrams;
    private long _untrackedDatagrams;

    /// <summary>Makes an empty table. Each stream that appears takes one bit per sequence of its window.</summary>
    /// <param name="capacity">Streams at once, from 1 to 65536.</param>
    /// <param name="windowSequences">The window of each stream, see <see cref="SequenceTracker"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">A number is out of its range.</exception>
    public StreamTable(
        int capacity = DefaultCapacity, int windowSequences = SequenceTracker.DefaultWindowSequences)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(capacity, 65536);
        _ = new SequenceTracker(windowSequences); // refuses a bad window now, not at the first datagram
        _windowSequences = windowSequences;
        _streams = new TestStream[capacity];
        _index = new StreamIndex(capacity);
    }

    /// <summary>The streams followed now, ended ones included until they make room. Valid until the next add.</summary>
    public ReadOnlySpan<TestStream> Streams => _streams.AsSpan(0, _count);

    /// <summary>Everything counted so far. Each reading passes over all streams.</summary>
    public StreamTotals Totals
    {
        get
        {
            StreamTotals totals = _folded + new StreamTotals
            {
                OtherDatagrams = _otherDatagrams,
                UnknownDatagrams = _unknownDatagrams,
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

    /// <summary>
    /// How loss and reordering were spread over all streams that were followed. Each reading passes over the windows of
    /// all streams.
    /// </summary>
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
    /// The stream with this id, which is followed from now on if there is room. For a receiver that learns from a
    /// handshake which streams will come, and calls <see cref="TestStream.Begin"/>.
    /// </summary>
    /// <param name="streamId">The id that the sender chose.</param>
    /// <returns>The stream; null where there is no room for it. Valid until it makes room for another one.</returns>
    public TestStream? Open(ulong streamId) => Find(streamId);

    /// <summary>
    /// Notes how many datagrams a stream had, as if its announcement had arrived. The stream is opened if it is not
    /// followed yet, so that a stream of which nothing arrived is lost as a whole.
    /// </summary>
    /// <param name="streamId">The id that the sender chose.</param>
    /// <param name="total">How many datagrams were sent, from 0 to <see cref="TestDatagram.MaxSequence"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The total is out of range.</exception>
    public void End(ulong streamId, long total)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(total);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(total, TestDatagram.MaxSequence);
        Add(new TestDatagram(TestDatagramKind.End, streamId, total), payloadBytes: 0);
    }

    /// <summary>Counts one received datagram of any kind.</summary>
    /// <param name="payload">The whole payload.</param>
    /// <returns>The kind of the datagram; an announcement is not data.</returns>
    public TestDatagramKind Add(ReadOnlySpan<byte> payload)
    {
        if (TestDatagram.TryRead(payload, out TestDatagram datagram))
        {
            Add(datagram, payload.Length);
        }
        else
        {
            bool isUnknown = datagram.Kind == TestDatagramKind.Unknown;
            AddForeign(isUnknown ? 0 : 1, isUnknown ? 1 : 0);
        }

        return datagram.Kind;
    }

    /// <summary>Counts datagrams that carry no test header, or one that is not known here.</summary>
    internal void AddForeign(long otherDatagrams, long unknownDatagrams)
    {
        _otherDatagrams += otherDatagrams;
        _unknownDatagrams += unknownDatagrams;
    }

    /// <summary>Counts a datagram whose header has been read.</summary>
    internal void Add(in TestDatagram datagram, int payloadBytes)
    {
        if (datagram.Kind == TestDatagramKind.Total)
        {
            _unnumbered ??= new UnnumberedTotals();
            _unnumbered.Add(datagram.StreamId, datagram.Sequence);
            return;
        }

        TestStream? stream = _last;
        if (stream is null || stream.Id != datagram.StreamId)
        {
            stream = Find(datagram.StreamId);
            if (stream is null)
            {
                AddUnfollowed(datagram, payloadBytes);
                return;
            }

            _last = stream;
        }

        if (datagram.Kind == TestDatagramKind.Data)
        {
            stream.Add(datagram.Sequence, payloadBytes);
        }
        else
        {
            End(stream, datagram.Sequence);
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
    /// The stream with this id, opened if it is new and there is room; null if it cannot be followed.
    /// </summary>
    private TestStream? Find(ulong id)
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

    /// <summary>Counts a datagram of a stream that has made room, or that found no room.</summary>
    private void AddUnfollowed(TestDatagram datagram, int payloadBytes)
    {
        bool data = datagram.Kind == TestDatagramKind.Data;
        if (_closed is not null && _closed.TryGet(datagram.StreamId, out _))
        {
            // The stream's bitmap is gone: the datagram is a first copy or a duplicate, which is what "late" means.
            _folded += new StreamTotals
            {
                Bytes = data ? payloadBytes : 0,
                Counts = new SequenceCounts { Received = data ? 1 : 0, Late = data ? 1 : 0 },
            };
            return;
        }

        _untrackedDatagrams += data ? 1 : 0;
        _untracked ??= new StreamIndex(MaxUntrackedStreams);
        if (_untracked.Count < _untracked.Capacity && !_untracked.TryGet(datagram.StreamId, out _))
        {
            _untracked.Add(datagram.StreamId, 0);
        }
    }

    private static StreamTotals TotalsOf(TestStream stream) => new()
    {
        Streams = 1,
        EndedStreams = stream.Ended ? 1 : 0,
        Counts = stream.Counts,
        Bytes = stream.Bytes,
    };
}
