using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cards;

/// <summary>The needs of segmented send and coalesced receive: checksums, scatter-gather, GSO and GRO.</summary>
internal sealed class OffloadCheck : InterfaceCheck
{
    public override string Id => "offloads";

    public override string Subject => "offloads for segmented send and coalesced receive";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        IReadOnlyDictionary<string, CardFeature> features = one.Card.Features;
        if (features.Count == 0) return Unknown("The system does not tell the features of this interface.");

        CardFeature[] checksums = [.. Find(features, FeatureSetting.Checksums)];
        CardFeature[] off =
        [
            // One that computes checksums of everything does it, as do those of IPv4 and IPv6 together.
            .. checksums.Any(static one => one.IsOn)
                ? []
                : checksums.Any(static one => !one.IsFixed)
                    ? checksums.Where(static one => !one.IsFixed).Take(1)
                    : checksums.Take(1),
            .. Find(
                features,
                [FeatureSetting.ScatterGather, FeatureSetting.Segmentation, FeatureSetting.Coalescing])
                .Where(static one => !one.IsOn),
        ];
        if (off.Length == 0) return Ok("on", "Checksums, scatter-gather, GSO and GRO are on (ethtool -k).");

        // One that is requested comes back with the feature that it needs, and undo must leave the request.
        CardFeature[] changed = [.. off.Where(static one => !one.IsFixed && !one.IsRequested)];
        CheckFinding finding = Advice(
            "off: " + string.Join(", ", off.Select(static one => one.IsFixed ? $"{one.Name} (fixed)" : one.Name)),
            changed.Length > 0 ? "on" : "another interface or driver",
            "Without these the CPU cuts, sums up and passes each datagram by itself, and kernels before 6.11 refuse "
                + "segmented sends with EIO where no checksums are computed (udp_send_skb).");
        return (finding with { IsBelowNeed = host.Needs.IsFast && changed.Length > 0 }).With(
            [.. changed.Select(feature => FeatureChange.On(one, feature))]);
    }

    private static IEnumerable<CardFeature> Find(
        IReadOnlyDictionary<string, CardFeature> features, IReadOnlyList<string> names) =>
        names.Where(features.ContainsKey).Select(name => features[name]);
}
