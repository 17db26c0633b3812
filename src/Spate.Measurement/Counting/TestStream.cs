namespace Spate.Measurement.Counting;

/// <summary>
/// One sender's flow as its receiver sees it. It belongs to a <see cref="StreamTable"/> and to that table's thread.
/// </summary>
internal sealed class TestStream
{
    private readonly SequenceTracker _tracker;
    private DelayFloor? _floor;
    private DeadlineCounter? _deadlineCounter;
    private long _receivedAtCheck;
    private long _heardTicks;

    internal TestStream(ulong id, int windowSequences)
    {
        Id = id;
        _tracker = new SequenceTracker(windowSequences);
    }

    public ulong Id { get; private set; }

    /// <summary>Payload bytes of all data datagrams that arrived, copies included.</summary>
    public long Bytes { get; private set; }

    /// <summary>Whether the sender has announced the end.</summary>
    public bool Ended => _tracker.Ended;

    /// <summary>What became of the stream's datagrams, as of now.</summary>
    public SequenceCounts Counts => _tracker.Counts with { AfterDeadline = _deadlineCounter?.Count ?? 0 };

    /// <summary>How loss and reordering were spread, as of now (<see cref="SequenceTracker.Lengths"/>).</summary>
    public SequenceLengths Lengths => _tracker.Lengths;

    /// <summary>Notes where the stream begins, see <see cref="SequenceTracker.Begin"/>.</summary>
    public void Begin(long first) => _tracker.Begin(first);

    /// <summary>Counts data datagrams of this stream.</summary>
    internal void AddRun(in SequenceRun run, long deadlineNanoseconds, DelaySamples delays)
    {
        long unique = _tracker.AddRun(run.First.Sequence, run.Count);
        Bytes += (long)run.PayloadBytes * run.Count;
        if (run.First.SentNanoseconds == 0 || run.ArrivalNanoseconds == 0) return;

        long delay = run.ArrivalNanoseconds - run.First.SentNanoseconds;
        if (_floor is null)
        {
            _floor = new DelayFloor();
            if (deadlineNanoseconds < AccountingOptions.NoDeadlineNanoseconds)
            {
                _deadlineCounter = new DeadlineCounter(_floor, deadlineNanoseconds);
            }
        }

        _floor.Add(run.ArrivalNanoseconds, delay);
        _deadlineCounter?.Add(run.ArrivalNanoseconds, delay, (int)unique);
        delays.Add(_floor, run.ArrivalNanoseconds, delay, run.Count);
    }

    internal void End(long total) => _tracker.End(total);

    /// <summary>
    /// Whether nothing has arrived for the given time. No clock is read per datagram: the stream was last heard at the
    /// latest check that found more datagrams than the check before.
    /// </summary>
    internal bool IsSilent(long nowTicks, TimeProvider time, TimeSpan patience)
    {
        long received = _tracker.Counts.Received;
        if (received != _receivedAtCheck) (_receivedAtCheck, _heardTicks) = (received, nowTicks);
        return time.GetElapsedTime(_heardTicks, nowTicks) >= patience;
    }

    internal void Reuse(ulong id)
    {
        Id = id;
        Bytes = 0;
        _floor = null; // samples still refer to it
        _deadlineCounter = null;
        _receivedAtCheck = 0;
        _tracker.Reset();
    }
}
