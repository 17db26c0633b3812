using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Spate.Measurement.Counting;

/// <summary>
/// The streams that one or several threads receive. Each thread keeps a <see cref="BatchCounts"/> and posts it now and
/// then, so that the lock is taken once for 64 datagrams or more. All members are safe to use from any thread.
/// </summary>
internal sealed class StreamLedger
{
    private readonly Lock _lock = new();
    private readonly StreamTable _table;

    public StreamLedger(
        int capacity = StreamTable.DefaultCapacity,
        int windowSequences = SequenceTracker.DefaultWindowSequences,
        AccountingOptions? options = null)
    {
        _table = new StreamTable(capacity, windowSequences, options);
        Verifies = options?.Verify == true;
    }

    public bool Verifies { get; }

    public StreamTotals Totals
    {
        get
        {
            lock (_lock) return _table.Totals;
        }
    }

    /// <summary>Begins a stream (<see cref="TestStream.Begin"/>); false where there is no room for it.</summary>
    public bool TryBegin(ulong streamId, long first)
    {
        lock (_lock)
        {
            TestStream? stream = _table.Open(streamId);
            stream?.Begin(first);
            return stream is not null;
        }
    }

    public void End(ulong streamId, long total)
    {
        lock (_lock) _table.End(streamId, total);
    }

    public int CountSilent(long nowTicks, TimeProvider time, TimeSpan patience)
    {
        lock (_lock) return _table.CountSilent(nowTicks, time, patience);
    }

    /// <summary>Reads the table while nobody posts.</summary>
    public T Read<T>(Func<StreamTable, T> read)
    {
        lock (_lock) return read(_table);
    }

    public void Post(ReadOnlySpan<SequenceRun> runs, in ForeignCounters foreign)
    {
        lock (_lock)
        {
            _table.AddForeign(foreign);
            foreach (ref readonly SequenceRun run in runs)
            {
                _table.AddRun(run);
            }
        }
    }
}

/// <summary>What is counted of test datagrams beyond what their numbers tell.</summary>
internal sealed record AccountingOptions
{
    internal const long NoDeadlineNanoseconds = long.MaxValue / 4; // far from where sums of times overflow

    /// <summary>
    /// How much later than the fastest datagram of its stream a datagram may arrive; later ones count as
    /// <see cref="SequenceCounts.AfterDeadline"/>. Above zero. Null (the default) for no deadline. With one, each
    /// stream takes 23 KiB more.
    /// </summary>
    public TimeSpan? Deadline { get; init; }

    /// <summary>
    /// Whether checksums are verified. Every data datagram must then have the right checksum; others count as
    /// <see cref="StreamTotals.Corrupted"/> and as nothing else, since their numbers cannot be trusted. Default: false.
    /// </summary>
    public bool Verify { get; init; }

    internal long DeadlineNanoseconds => Deadline is { } deadline
        ? (long)Math.Min(deadline.TotalSeconds * 1e9, NoDeadlineNanoseconds)
        : NoDeadlineNanoseconds;

    internal void Validate() =>
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(Deadline ?? TimeSpan.MaxValue, TimeSpan.Zero);
}

/// <summary>
/// What one thread has received of streams since its last post. Consecutive sequences share one entry, so a datagram
/// costs a comparison of its header here, and next to nothing under the ledger's lock. Used by one thread only.
/// </summary>
internal sealed class BatchCounts(StreamLedger ledger)
{
    /// <summary>
    /// The number of datagrams that is worth taking the lock. A thread posts them before its next batch, because it may
    /// sleep then while other threads get far ahead.
    /// </summary>
    private const int MinPostDatagrams = 64;

    private const int MaxRuns = 512;
    private const int MaxRunDatagrams = 1 << 20;
    private const int NoBytes = -1;

    private readonly SequenceRun[] _runs = new SequenceRun[MaxRuns];
    private readonly bool _verifies = ledger.Verifies;
    private int _runCount;
    private long _datagramCount;
    private ForeignCounters _foreign;
    private long _arrivalNanoseconds;

    // The current run is not in the array yet, because nearly every datagram only makes it longer. Without a run, the
    // kind of the first is Other.
    private TestDatagram _first;
    private int _payloadBytes;
    private long _nextSequence;

    // The header with which a datagram belongs to the run, as it lies in memory. No payload has NoBytes.
    private int _nextBytes = NoBytes;
    private ulong _prefix;
    private ulong _stream;
    private ulong _sent;

    /// <summary>The arrival is when the receive call returned, by a monotonic clock.</summary>
    public void Begin(long arrivalNanoseconds)
    {
        // A run has one delay.
        if (_first.SentNanoseconds > 0) EndRun();
        _arrivalNanoseconds = arrivalNanoseconds;
    }

    /// <summary>Notes one datagram. False for what counts as none: an announcement, and an unknown kind.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Add(ReadOnlySpan<byte> payload)
    {
        // The first eight bytes, the stream and the time are compared as they are, so only the sequence is decoded.
        if (payload.Length == _nextBytes && payload.Length >= TestDatagram.TimedHeaderBytes
            && BinaryPrimitives.ReadInt64BigEndian(payload[16..]) == _nextSequence
            && MemoryMarshal.Read<ulong>(payload) == _prefix
            && MemoryMarshal.Read<ulong>(payload[8..]) == _stream
            && MemoryMarshal.Read<ulong>(payload[24..]) == _sent)
        {
            _nextSequence++;
            return true;
        }

        return AddOther(payload);
    }

    /// <summary>Notes consecutive data datagrams of another protocol, one or more, whose header was read.</summary>
    public void AddData(in TestDatagram first, int count, int payloadBytes)
    {
        EndRun();
        NoteRun(new SequenceRun(first, count, payloadBytes, _arrivalNanoseconds));
    }

    /// <summary>Called once per batch; a batch with many runs also posts when the page is full.</summary>
    public void PostIfDue()
    {
        if (_datagramCount + RunDatagrams + _foreign.Count >= MinPostDatagrams) Post();
    }

    public void Post()
    {
        EndRun();
        if (_runCount > 0 || _foreign.Count > 0) PostRuns();
    }

    private long RunDatagrams => _first.Kind == TestDatagramKind.Other ? 0 : _nextSequence - _first.Sequence;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool AddOther(ReadOnlySpan<byte> payload)
    {
        TestDatagramKind kind = TestDatagram.Classify(payload, _verifies, out TestDatagram datagram);
        if (kind is not (TestDatagramKind.Data or TestDatagramKind.End or TestDatagramKind.Total))
        {
            _foreign.Add(kind);
            return kind != TestDatagramKind.Unknown;
        }

        bool continuesRun = payload.Length == _payloadBytes && datagram == _first with { Sequence = _nextSequence }
            && kind == TestDatagramKind.Data && RunDatagrams < MaxRunDatagrams;
        if (!continuesRun) BeginRun(datagram, payload);
        _nextSequence++;
        return kind == TestDatagramKind.Data;
    }

    private void BeginRun(in TestDatagram datagram, ReadOnlySpan<byte> payload)
    {
        EndRun();
        (_first, _payloadBytes, _nextSequence) = (datagram, payload.Length, datagram.Sequence);

        // A call brings fewer datagrams than a run may have, so a run of them cannot reach the largest sequence unseen.
        bool canBeCompared = datagram is { Kind: TestDatagramKind.Data, SentNanoseconds: > 0 }
            && datagram.Sequence < TestDatagram.MaxSequence - MaxRunDatagrams
            && !_verifies;
        if (!canBeCompared) return;
        _nextBytes = payload.Length;
        _prefix = MemoryMarshal.Read<ulong>(payload);
        _stream = MemoryMarshal.Read<ulong>(payload[8..]);
        _sent = MemoryMarshal.Read<ulong>(payload[24..]);
    }

    private void EndRun()
    {
        if (_first.Kind == TestDatagramKind.Other) return;

        bool isData = _first.Kind == TestDatagramKind.Data;
        int count = isData ? (int)(_nextSequence - _first.Sequence) : 1;
        NoteRun(new SequenceRun(_first, count, _payloadBytes, _arrivalNanoseconds));
        _first = default;
        _nextBytes = NoBytes;
    }

    private void NoteRun(in SequenceRun run)
    {
        if (_runCount == _runs.Length) PostRuns();
        _runs[_runCount++] = run;
        _datagramCount += run.Count;
    }

    private void PostRuns()
    {
        ledger.Post(_runs.AsSpan(0, _runCount), _foreign);
        (_runCount, _datagramCount, _foreign) = (0, 0, default);
    }
}

/// <summary>Datagrams of one call with one stream, size, time and consecutive sequences, or one announcement.</summary>
/// <param name="ArrivalNanoseconds">By the receiver's monotonic clock; 0 if not known.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct SequenceRun(TestDatagram First, int Count, int PayloadBytes, long ArrivalNanoseconds);

/// <summary>Datagrams that belong to no stream.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct ForeignCounters
{
    public long Others { get; private set; }

    public long Unknowns { get; private set; }

    public long Corrupted { get; private set; }

    public readonly long Count => Others + Unknowns + Corrupted;

    public void Add(TestDatagramKind kind)
    {
        switch (kind)
        {
            case TestDatagramKind.Unknown:
                Unknowns++;
                break;
            case TestDatagramKind.Corrupted:
                Corrupted++;
                break;
            default:
                Others++;
                break;
        }
    }

    public void Add(in ForeignCounters other)
    {
        Others += other.Others;
        Unknowns += other.Unknowns;
        Corrupted += other.Corrupted;
    }
}
