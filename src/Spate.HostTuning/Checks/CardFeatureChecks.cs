using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>The features of cards that segmented send and coalesced receive use.</summary>
internal static class CardFeatureChecks
{
    /// <summary>What both need: checksums, scatter-gather, GSO and GRO.</summary>
    public static CheckFinding Needed(HostReadings host, HostInterface one)
    {
        IReadOnlyDictionary<string, CardFeature> features = one.Card.Features;
        if (features.Count == 0) return Unknown("The system does not report the features of this interface.");

        CardFeature[] checksums = [.. Find(FeatureSetting.Checksums)];
        CardFeature[] off =
        [
            // One that computes checksums of everything does it, as do those of IPv4 and IPv6 together.
            .. checksums.Any(static one => one.IsOn)
                ? []
                : checksums.Any(static one => !one.IsFixed)
                    ? checksums.Where(static one => !one.IsFixed).Take(1)
                    : checksums.Take(1),
            .. Find([FeatureSetting.ScatterGather, FeatureSetting.Segmentation, FeatureSetting.Coalescing])
                .Where(static one => !one.IsOn),
        ];
        if (off.Length == 0) return Ok("on", "Checksums, scatter-gather, GSO and GRO are on (ethtool -k).");

        // One that is requested comes back with the feature that it needs, and undo must leave the request.
        CardFeature[] changed = [.. off.Where(static one => !one.IsFixed && !one.IsRequested)];
        CheckFinding finding = Advice(
            "off: " + string.Join(", ", off.Select(static one => one.IsFixed ? $"{one.Name} (fixed)" : one.Name)),
            changed.Length > 0 ? "on" : "another interface or driver",
            "Without these the CPU segments, checksums and passes each datagram alone, and kernels before 6.11 refuse "
                + "segmented sends with EIO without checksum offload (udp_send_skb).");
        return (finding with { IsBelowNeed = host.Needs.IsFast && changed.Length > 0 }).With(
            [.. changed.Select(feature => On(one, feature))]);

        IEnumerable<CardFeature> Find(IReadOnlyList<string> names) =>
            names.Where(features.ContainsKey).Select(name => features[name]);
    }

    /// <summary>Whether a card that can cut a segmented send into datagrams does it.</summary>
    public static CheckFinding? Segmentation(HostReadings host, HostInterface one)
    {
        if (!one.Card.Features.TryGetValue(FeatureSetting.UdpSegmentation, out CardFeature? feature)) return null;
        if (feature.IsOn) return Ok("on", "The NIC segments sends into datagrams (ethtool -k).");

        return feature.IsFixed
            ? Ok("off (fixed)", "The NIC cannot segment sends: the kernel does it just above the driver (GSO).")
            : Advice(
                "off",
                "on",
                "The NIC can segment sends, which the CPU does now "
                    + $"(ethtool -k, {FeatureSetting.UdpSegmentation}).")
                .With(On(one, feature));
    }

    /// <summary>Whether a host that forwards coalesces the datagrams that it passes on.</summary>
    public static CheckFinding? Forwarding(HostReadings host, HostInterface one)
    {
        if (!one.Card.Features.TryGetValue(FeatureSetting.UdpForwarding, out CardFeature? feature)) return null;

        bool forwards = host.Files.ReadNumber("proc/sys/net/ipv4/ip_forward") == 1
            || host.Files.ReadNumber("proc/sys/net/ipv6/conf/all/forwarding") == 1;
        string found = SwitchText.Of(feature.IsOn);
        if (feature.IsOn || !forwards || feature.IsFixed)
        {
            return Ok(found, forwards
                ? "With it, forwarded datagrams of a flow pass the stack together (ethtool -k)."
                : "This host does not forward, so it would gain nothing (net.ipv4.ip_forward).");
        }

        return Advice(
            found,
            "on",
            "This host forwards: forwarded datagrams of a flow pass the stack one by one "
                + $"(ethtool -k, {FeatureSetting.UdpForwarding}; net.ipv4.ip_forward).")
            .With(On(one, feature));
    }

    private static HostChange On(HostInterface one, CardFeature feature) => new(
        new FeatureSetting(one.Name, feature.Name), SwitchText.Of(isOn: false), SwitchText.Of(isOn: true));
}
