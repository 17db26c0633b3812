namespace Spate.Measurement.Counting;

/// <summary>One sender's flow at its receiver. Used on the thread of its <see cref="StreamTable"/>.</summary>
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

    public bool Ended => _tracker.Ended;

    public SequenceCounts Counts => _tracker.Counts with { AfterDeadline = _deadlineCounter?.Count ?? 0 };

    public SequenceLengths Lengths => _tracker.Lengths;

    public void Begin(long first) => _tracker.Begin(first);

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

    /// <summary>No clock is read per datagram: the latest check that found more of them counts.</summary>
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
