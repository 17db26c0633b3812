using Spate.Measurement.Accounting;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Serving;

/// <summary>
/// The ledgers of a server's handlers. Where a peer's datagrams all come to one thread, each thread has its own. Where
/// threads share a peer they share one ledger with a wide window: what a thread has not posted yet may be as far behind
/// the others as what is sent in one post interval.
/// </summary>
internal sealed class ServeLedgers
{
    private const int SharedCapacity = 256;
    private const int SharedWindowSequences = 1 << 20;
    private const int MinOwnCapacity = 256;

    private readonly Lock _lock = new();
    private readonly List<StreamLedger> _ledgers = [];

    /// <summary>The ledger of one more handler.</summary>
    public StreamLedger Open(bool keepsPeers, int threadCount)
    {
        lock (_lock)
        {
            if (!keepsPeers && _ledgers.Count > 0) return _ledgers[0];

            // Strangers name streams: however many threads there are, what they can make the tables hold is bounded.
            int capacity = Math.Max(MinOwnCapacity, StreamTable.DefaultCapacity / threadCount);
            StreamLedger opened = keepsPeers
                ? new StreamLedger(capacity, SequenceTracker.DefaultWindowSequences)
                : new StreamLedger(SharedCapacity, SharedWindowSequences);
            _ledgers.Add(opened);
            return opened;
        }
    }

    /// <summary>Whether any handler keeps account of numbers.</summary>
    public bool HasAny
    {
        get
        {
            lock (_lock) return _ledgers.Count > 0;
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

    /// <summary>Streams that have not ended and of which nothing has come for so long.</summary>
    public long CountSilent(long nowTicks, TimeProvider time, TimeSpan patience)
    {
        lock (_lock) return _ledgers.Sum(ledger => (long)ledger.CountSilent(nowTicks, time, patience));
    }

    public IEnumerable<StreamReport> StreamReports()
    {
        lock (_lock) return [.. _ledgers.SelectMany(static ledger => ledger.StreamReports())];
    }
}
