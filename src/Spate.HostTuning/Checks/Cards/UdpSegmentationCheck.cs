using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cards;

/// <summary>Whether a card that can cut a segmented send into datagrams does it.</summary>
internal sealed class UdpSegmentationCheck : InterfaceCheck
{
    public override string Id => "udp-segmentation";

    public override string Subject => "segmented sends cut by the card";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        if (!one.Card.Features.TryGetValue(FeatureSetting.UdpSegmentation, out CardFeature? feature)) return null;
        if (feature.IsOn) return Ok("on", "The card cuts segmented sends into datagrams (ethtool -k).");

        return feature.IsFixed
            ? Ok("off (fixed)", "The card cannot cut segmented sends: the kernel does it just above the driver (GSO).")
            : Advice(
                "off",
                "on",
                "The card can cut segmented sends, which the CPU does now "
                    + $"(ethtool -k, {FeatureSetting.UdpSegmentation}).")
                .With(FeatureChange.On(one, feature));
    }
}
