using System.Globalization;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Loss;

/// <summary>Where one direction's datagrams were lost: each in one place, or unexplained. Immutable.</summary>
internal sealed record LossAccount
{
    private LossAccount(LossAttribution allocation, LossText text)
    {
        var lostWhere = new OrderedDictionary<string, long>(LossPlaces.All.Count, StringComparer.Ordinal);
        foreach (LossPlace place in LossPlaces.All) lostWhere.Add(LossPlaces.NameOf(place), allocation[place]);

        LostWhere = lostWhere;
        Unexplained = allocation.Unexplained;
        Sentence = text.Sentence;
        Remedy = text.Remedy;
    }

    /// <summary>By place, in the order of <see cref="LossPlace"/>, in camelCase, with zeros.</summary>
    public IReadOnlyDictionary<string, long> LostWhere { get; }

    /// <summary>What the counters put nowhere. <see cref="Sentence"/> says why where it is the largest part.</summary>
    public long Unexplained { get; }

    /// <summary>The largest part of the loss, its place and what would help: one line of printable ASCII.</summary>
    public string Sentence { get; }

    /// <summary>A command or options; null where nothing was lost or none is known.</summary>
    public string? Remedy { get; }

    /// <summary>Puts the missing datagrams where they were lost. Impossible values are bounded.</summary>
    public static LossAccount Judge(LossEvidence evidence)
    {
        DropCounts limits = DropCounts.Of(evidence);
        LossAttribution allocation = LossAttribution.Of(evidence, limits);
        return new LossAccount(allocation, LossText.Of(evidence, limits, allocation));
    }
}

/// <summary>
/// Where a datagram can be lost, in the order of its way. Reports spell the names in camelCase, for example
/// <c>senderQueue</c>. docs/measure/loss.md says which counter speaks for which place.
/// </summary>
internal enum LossPlace
{
    /// <summary>What the pacing gave up or the system refused; the sender knows each of them.</summary>
    SenderApplication,

    /// <summary>Between socket and queue, without an error: as by a firewall rule for output.</summary>
    SenderSocket,

    SenderQueue,

    SenderInterface,

    /// <summary>Where neither end counts: what is left once every other place was excluded.</summary>
    Path,

    /// <summary>The receiver's interface: its card, its driver, or what the driver hands the packets to.</summary>
    ReceiverInterface,

    /// <summary>The queues in front of the receiving host's CPUs (<c>net.core.netdev_max_backlog</c>).</summary>
    Backlog,

    /// <summary>The receiving host's IP: headers, routes, fragments, the filter for reverse paths.</summary>
    Ip,

    Firewall,

    /// <summary>The receiving host's UDP: no socket at the port, a wrong checksum, no memory for UDP.</summary>
    Udp,

    /// <summary>This test's receiving sockets: the buffer was full, or a filter rejected the datagram.</summary>
    Socket,

    /// <summary>The socket's buffer was full because its thread was not running.</summary>
    Reader,

    /// <summary>No place: arrived with a wrong checksum. Only where checksums are verified.</summary>
    Corrupted,
}

/// <summary>All places with the names that reports give them.</summary>
internal static class LossPlaces
{
    private static readonly string[] Names = MapNamesAttribute.Of(typeof(LossPlace));

    /// <summary>The places in the order of a datagram's way; the index is the place's value.</summary>
    public static IReadOnlyList<LossPlace> All { get; } = Enum.GetValues<LossPlace>();

    public static string NameOf(LossPlace place) => Names[(int)place];
}

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
        string beside = skipped > 0 ? $" (also, {skips})" : "";
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
            return ("unexplained, because only the receiving end was measured", BothEnds);
        }

        if (allocation is { IsInPackets: true, MayBeGso: true })
        {
            return ("unexplained, because the counters that grew count packets of several datagrams", PlainTraffic);
        }

        if (evidence.IsFragmented)
        {
            return ("unexplained, because the counters count fragments, not datagrams", "--size mtu");
        }

        if (allocation.IsLate) return (Line($"unexplained: {evidence.Late} arrived outside the tracking window"), null);

        if (!allocation.LacksCounters)
        {
            string why = allocation.IsInDoubt ? InDoubt(limits) : "no counter of the host grew";
            return ($"unexplained: {why}", null);
        }

        string host = (evidence.SenderDelta, evidence.ReceiverDelta) switch
        {
            (null, null) => "both hosts",
            (null, _) => "the sending host",
            (_, null) => "the receiving host",
            _ => "a host",
        };
        return ($"unexplained, because counters of {host} could not be read", null);
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
