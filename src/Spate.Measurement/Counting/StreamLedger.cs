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
