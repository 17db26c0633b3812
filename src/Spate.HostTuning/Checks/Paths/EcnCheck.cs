using Spate.HostTuning.Reading.Probing;

namespace Spate.HostTuning.Checks.Paths;

/// <summary>Whether ECN marks survive the path.</summary>
internal sealed class EcnCheck : HostCheck
{
    private const int MarkBits = 0b11;
    private const int CongestionMark = 0b11;

    public override string Id => "ecn";

    public override string Subject => "ECN marks on the path";

    public override IEnumerable<CheckFinding> Examine(HostReadings host) =>
        host.Paths.Where(static path => path.Probe?.PathBytes is not null)
            .Select(path => OfPath(path) with { Interface = path.Interface?.Name });

    private CheckFinding OfPath(PathReading path)
    {
        string family = CheckText.Family(path.Family);
        return (path.EchoedClass & MarkBits) switch
        {
            null => Unknown($"No probe with a mark was answered over {family}, but others were: a router drops them."),
            PathReader.EcnMark => Ok($"marks pass over {family}", "The reply to a marked probe had the mark too."),
            CongestionMark => Ok(
                $"marks pass over {family}", "A router marked the probe or its reply as having met congestion."),

            // Linux answers with the marks of the request (icmp_reply, icmpv6_echo_reply); others need not.
            _ => Unknown(
                $"The reply over {family} had no mark: a router cleared it, or the target answers without (RFC 3168)."),
        };
    }
}
