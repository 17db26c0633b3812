using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cards;

/// <summary>Whether a host that forwards coalesces the datagrams that it passes on.</summary>
internal sealed class UdpForwardingCheck : InterfaceCheck
{
    public override string Id => "udp-gro-forwarding";

    public override string Subject => "coalescing of forwarded datagrams";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        if (!one.Card.Features.TryGetValue(FeatureSetting.UdpForwarding, out CardFeature? feature)) return null;

        bool forwards = host.Files.ReadNumber("proc/sys/net/ipv4/ip_forward") == 1
            || host.Files.ReadNumber("proc/sys/net/ipv6/conf/all/forwarding") == 1;
        string found = SwitchText.Of(feature.IsOn);
        if (feature.IsOn || !forwards || feature.IsFixed)
        {
            return Ok(found, forwards
                ? "Forwarded datagrams of a flow pass the stack together where it is on (ethtool -k)."
                : "This host does not forward, so nothing would be gained by it (net.ipv4.ip_forward).");
        }

        return Advice(
            found,
            "on",
            "This host forwards: datagrams of a flow that nobody here reads pass the stack one by one "
                + $"(ethtool -k, {FeatureSetting.UdpForwarding}; net.ipv4.ip_forward).")
            .With(FeatureChange.On(one, feature));
    }
}
