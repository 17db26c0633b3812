using Spate.Measurement.Counting;

namespace Spate.Cli.Serve;

/// <summary>
/// The ledgers of a server's handlers. Where one thread gets all datagrams of a peer, each thread has its own ledger.
/// Where threads share a peer, they share one ledger with a wide window: what a thread has not posted yet may be one
/// post interval behind the others.
/// </summary>
internal sealed class ServeLedgers(AccountingOptions? options = null)
{
    private const int SharedCapacity = 256;
    private const int SharedWindowSequences = 1 << 20;
    private const int MinOwnCapacity = 256;

    private readonly Lock _lock = new();
    private readonly List<StreamLedger> _ledgers = [];

    public bool HasAny
    {
        get
        {
            lock (_lock) return _ledgers.Count > 0;
        }
    }

    public StreamLedger Open(bool keepsPeers, int threadCount)
    {
        lock (_lock)
        {
            if (!keepsPeers && _ledgers.Count > 0) return _ledgers[0];

            // Remote senders choose the streams, so the tables' size in all is bounded for any number of threads.
            int capacity = Math.Max(MinOwnCapacity, StreamTable.DefaultCapacity / threadCount);
            StreamLedger opened = keepsPeers
                ? new StreamLedger(capacity, SequenceTracker.DefaultWindowSequences, options)
                : new StreamLedger(SharedCapacity, SharedWindowSequences, options);
            _ledgers.Add(opened);
            return opened;
        }
    }

    public StreamTotals Totals
    {
        get
        {
            lock (_lock)
            {
                StreamTotals totals = default;
                foreach (StreamLedger ledger in _ledgers) totals += ledger.Totals;
                return totals;
            }
        }
    }

    public long CountSilent(long nowTicks, TimeProvider time, TimeSpan patience)
    {
        lock (_lock) return _ledgers.Sum(ledger => (long)ledger.CountSilent(nowTicks, time, patience));
    }

    public void Fill(ServeReport report)
    {
        lock (_lock) report.SetAccounting(_ledgers, options ?? new AccountingOptions());
    }
}

/// <summary>
/// Tells when all senders that were heard have ended: each has announced its end, or was silent for the time that the
/// run waits. The run checks again and again; this costs the threads that handle datagrams nothing.
/// </summary>
internal sealed class SenderWatch(ServeLedgers ledgers, TimeProvider time, TimeSpan patience)
{
    private long _otherDatagrams;
    private long _otherTicks;

    /// <summary>The senders that ended by being silent. Valid after a check that returned true.</summary>
    public long SilentSenders { get; private set; }

    public bool HaveAllEnded()
    {
        long nowTicks = time.GetTimestamp();

        // Read before the totals: a stream that appears in between is then in the totals alone, and the run waits for
        // it.
        long silent = ledgers.CountSilent(nowTicks, time, patience);
        StreamTotals totals = ledgers.Totals;
        if (totals.OtherDatagrams != _otherDatagrams)
        {
            (_otherDatagrams, _otherTicks) = (totals.OtherDatagrams, nowTicks);
        }

        if (totals.Streams + totals.UnnumberedSenders == 0)
        {
            // Senders of datagrams without numbers cannot be told apart: all of them together count as one.
            SilentSenders = 1;
            return _otherDatagrams > 0 && time.GetElapsedTime(_otherTicks, nowTicks) >= patience;
        }

        SilentSenders = silent;
        return totals.Streams - totals.EndedStreams == silent;
    }
}
