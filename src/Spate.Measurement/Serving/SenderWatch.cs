using Spate.Measurement.Accounting;

namespace Spate.Measurement.Serving;

/// <summary>
/// Tells when all senders that were heard have ended: announced their end, or sent nothing for so long that none is to
/// be expected any more. To be asked again and again; costs the threads that handle datagrams nothing.
/// </summary>
internal sealed class SenderWatch(ServeLedgers ledgers, TimeProvider time, TimeSpan patience)
{
    private long _otherDatagrams;
    private long _otherTicks;

    /// <summary>Those that counted as ended without an announcement when the last answer was yes.</summary>
    public long SilentSenders { get; private set; }

    /// <summary>Whether somebody was heard and nobody is to be expected any more.</summary>
    public bool HaveAllEnded()
    {
        long nowTicks = time.GetTimestamp();

        // Before the totals: a stream that appears in between is then one more than the silent ones, and waited for.
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
