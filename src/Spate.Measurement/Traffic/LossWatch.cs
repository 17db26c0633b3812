using Spate.HostTuning.Reading;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Loss;

namespace Spate.Measurement.Traffic;

/// <summary>
/// Watches the host of a receiver from the moment its sockets are open, and says where its missing datagrams were lost,
/// as far as this end alone can tell. Not thread-safe.
/// </summary>
internal sealed class LossWatch : IDisposable
{
    private readonly HostMeter _host = new();

    /// <summary>Adds the verdict to the report of the run, which is complete but for it.</summary>
    public void Judge(TrafficReport report)
    {
        long lost = report.Lost ?? 0;
        var account = LossAccount.Judge(ReceiverEvidence.Of(report, lost) with
        {
            Offered = Saturating.Add(report.Unique ?? 0, lost),
            ReceiverDelta = _host.ReadCounters(),
            BacklogLimit = BufferLimits.Read().BacklogPackets,
            SizeBytes = report.SizeBytes ?? 0,
            Seconds = report.Seconds,

            // Nothing on the wire tells whether the sender sends GSO messages, which most counters of the way would
            // count.
            SegmentedSend = null,
        });
        report.LostWhere = account.LostWhere;
        report.Unexplained = account.Unexplained;
        report.Verdict = lost > 0 ? account.Sentence : null;
        report.Remedy = account.Remedy;
    }

    public void Dispose() => _host.Dispose();
}
