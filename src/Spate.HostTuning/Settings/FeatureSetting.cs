using Spate.HostTuning.Reading.Cards;

namespace Spate.HostTuning.Settings;

/// <summary>A feature of an interface, such as an offload, that is on or off.</summary>
internal sealed record FeatureSetting(string Interface, string Feature) : HostSetting
{
    public const string ScatterGather = "tx-scatter-gather";
    public const string Segmentation = "tx-generic-segmentation";
    public const string Coalescing = "rx-gro";
    public const string UdpSegmentation = "tx-udp-segmentation";
    public const string UdpForwarding = "rx-udp-gro-forwarding";

    /// <summary>Cards have the first one, or the others.</summary>
    public static IReadOnlyList<string> Checksums { get; } =
        ["tx-checksum-ip-generic", "tx-checksum-ipv4", "tx-checksum-ipv6"];

    public static IReadOnlyList<string> Known { get; } =
        [.. Checksums, ScatterGather, Segmentation, Coalescing, UdpSegmentation, UdpForwarding];

    public override string Name => $"{Feature} of {Interface}";

    public override string Identity => $"feature {Interface} {Feature}";

    public override string CommandFor(string value) => $"ethtool -K {Interface} {Feature} {value}";

    public override string? Read(string rootPath)
    {
        using var replies = new CardReplies(rootPath);
        return CardFeatures.Read(replies, Interface).TryGetValue(Feature, out CardFeature? feature)
            ? SwitchText.Of(feature.IsOn)
            : null;
    }

    public override void Write(string rootPath, string value)
    {
        bool isOn = SwitchText.Parse(value) ?? throw new IOException($"{Name} is on or off, not {value}");
        using var replies = new CardReplies(rootPath);
        CardFeatures.Write(replies, Interface, Feature, isOn);
    }
}
