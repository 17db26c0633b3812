using System.Globalization;

namespace Spate.Measurement.Loss;

/// <summary>The verdict in words: one sentence about the largest part of a loss, and what would help.</summary>
internal sealed class LossText
{
    private const string PlainTraffic = "--no-gso --no-gro";
    private const string BothEnds = "spate test";

    private LossText(string sentence, string? remedy)
    {
        Sentence = remedy is null ? sentence + "." : $"{sentence}: {remedy}";
        Remedy = remedy;
    }

    public string Sentence { get; }

    public string? Remedy { get; }

    public static LossText Of(LossEvidence evidence, DropCounts limits, LossAttribution allocation)
    {
        if (evidence.Missing <= 0) return new LossText("Nothing was lost", null);

        // What was skipped was never sent. It must not hide what became of the datagrams that were.
        long skipped = Math.Min(Math.Max(0, evidence.Skipped), allocation[LossPlace.SenderApplication]);
        string skips = Line($"the sender could not keep the rate and skipped {skipped}");
        if (skipped == evidence.Missing)
        {
            return new LossText($"Nothing that was sent was lost, but {skips}", VerdictText.RateOfSent(evidence));
        }

        LossPlace place = LossPlaces.All.MaxBy(LostAt);
        long lost = Math.Max(LostAt(place), allocation.Unexplained);
        (string what, string? remedy) = LostAt(place) < allocation.Unexplained
            ? Unexplained(evidence, limits, allocation)
            : VerdictText.Of(place, evidence, limits, allocation);

        // Rounded down, so that 100 % is all of it.
        string beside = skipped > 0 ? $" (besides, {skips})" : "";
        long percent = (long)(100 * (Int128)lost / (evidence.Missing - skipped));
        return new LossText(Line($"{percent} % of the loss is {what}{beside}"), remedy);

        long LostAt(LossPlace one) => allocation[one] - (one == LossPlace.SenderApplication ? skipped : 0);
    }

    /// <summary>Text in which numbers look the same everywhere, and can be pasted into a command.</summary>
    public static string Line(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static (string What, string? Remedy) Unexplained(
        LossEvidence evidence, DropCounts limits, LossAttribution allocation)
    {
        if (evidence.SegmentedSend is null && !allocation.IsLate)
        {
            return ("unexplained, since the receiving end alone cannot tell", BothEnds);
        }

        if (allocation is { IsInPackets: true, MayBeGso: true })
        {
            return ("unexplained, since the counters that moved count packets of several datagrams", PlainTraffic);
        }

        if (evidence.IsFragmented)
        {
            return ("unexplained, since the datagrams went in fragments, which the counters count", "--size mtu");
        }

        if (allocation.IsLate)
        {
            return (Line($"unexplained: {evidence.Late} datagrams arrived too late to be told from copies"), null);
        }

        if (!allocation.LacksCounters)
        {
            string why = allocation.IsInDoubt ? InDoubt(limits) : "no counter of the host moved";
            return ($"unexplained: {why}", null);
        }

        string host = (evidence.SenderDelta, evidence.ReceiverDelta) switch
        {
            (null, null) => "both hosts",
            (null, _) => "the sending host",
            (_, null) => "the receiving host",
            _ => "a host",
        };
        return ($"unexplained, since counters of {host} could not be read", null);
    }

    private static string InDoubt(DropCounts limits)
    {
        (long dropped, long vanished) = (limits.ReceiverDropped ?? 0, limits.Vanished);
        string moved = dropped > vanished
            ? Line($"the receiver's interface dropped {dropped} packets (rx_dropped)")
            : Line($"{vanished} packets of the receiving host vanished {limits.WhereVanished}");
        return $"{moved}, which may be other traffic; repeat on a quiet network or with more datagrams";
    }
}
