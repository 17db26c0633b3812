using System.Runtime.InteropServices;
using Spate.Measurement.Accounting;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Serving;

/// <summary>Datagrams of one stream and size with consecutive sequences, or one announcement.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct SequenceRun(TestDatagram First, int Count, int PayloadBytes);

/// <summary>
/// The streams that one or several threads receive. Each thread keeps a <see cref="LedgerPage"/> and posts it now and
/// then, so that the lock is taken once for 64 datagrams or more.
/// </summary>
internal sealed class StreamLedger(int capacity, int windowSequences)
{
    private readonly Lock _lock = new();
    private readonly StreamTable _table = new(capacity, windowSequences);

    public StreamTotals Totals
    {
        get
        {
            lock (_lock) return _table.Totals;
        }
    }

    public IReadOnlyList<StreamReport> StreamReports()
    {
        lock (_lock) return StreamReport.AllOf(_table);
    }

    public int CountSilent(long nowTicks, TimeProvider time, TimeSpan patience)
    {
        lock (_lock) return _table.CountSilent(nowTicks, time, patience);
    }

    public void Post(ReadOnlySpan<SequenceRun> runs, long otherDatagrams, long unknownDatagrams)
    {
        lock (_lock)
        {
            _table.AddForeign(otherDatagrams, unknownDatagrams);
            foreach (ref readonly SequenceRun run in runs)
            {
                TestDatagram first = run.First;
                for (int i = 0; i < run.Count; i++)
                {
                    _table.Add(first with { Sequence = first.Sequence + i }, run.PayloadBytes);
                }
            }
        }
    }
}
