using Spate.Measurement.Counting;

namespace Spate.Cli.Serve;

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
