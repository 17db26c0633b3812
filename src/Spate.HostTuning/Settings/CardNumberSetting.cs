using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Cards;

namespace Spate.HostTuning.Settings;

/// <summary>A number or a switch of a card, such as the length of its ring.</summary>
internal sealed record CardNumberSetting(string Interface, CardNumber Number) : HostSetting
{
    // Rings have some thousand buffers, queues some hundred; a microsecond is the unit of the rest.
    private const uint MaxValue = 1_000_000;

    public override string Name => $"{Number.Word} of {Interface}";

    public override string Identity => $"card {Interface} {Number.Word}";

    public override string CommandFor(string value) => $"ethtool {Number.Option} {Interface} {Number.Argument} {value}";

    public override string? Read(string rootPath)
    {
        using var replies = new CardReplies(rootPath);
        byte[] answer = new byte[Number.RequestBytes];
        if (!TryAsk(replies, answer)) return null;

        uint value = MemoryMarshal.Read<uint>(answer.AsSpan(Number.Index * sizeof(uint)));
        return Number.IsSwitch ? SwitchText.Of(value != 0) : value.ToString(CultureInfo.InvariantCulture);
    }

    public override void Write(string rootPath, string value)
    {
        uint number = Parse(value)
            ?? throw new IOException($"{Name} cannot be {value}: expected a value up to {MaxValue}");
        using var replies = new CardReplies(rootPath);
        byte[] request = new byte[Number.RequestBytes];

        // The request sets all numbers of its kind: the others stay as they are.
        if (!TryAsk(replies, request)) throw new IOException($"{Interface} does not report its {Number.Word}");

        MemoryMarshal.Write(request, Number.SetCommand);
        MemoryMarshal.Write(request.AsSpan(Number.Index * sizeof(uint)), number);
        replies.Tell(Interface, request, Key);
    }

    private string Key => Number.GetCommand.ToString("x", CultureInfo.InvariantCulture);

    private bool TryAsk(CardReplies replies, byte[] buffer)
    {
        MemoryMarshal.Write(buffer, Number.GetCommand);
        return replies.TryAsk(Interface, buffer, Key);
    }

    private uint? Parse(string value)
    {
        if (Number.IsSwitch) return SwitchText.Parse(value) is { } isOn ? (isOn ? 1u : 0u) : null;

        return uint.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out uint number)
            && number <= MaxValue
                ? number
                : null;
    }
}

/// <summary>What ethtool(8) sets of a card. <c>RequestBytes</c>: 32 bits for the command, 32 for each number.</summary>
internal sealed record CardNumber(
    string Word,
    string Option,
    string Argument,
    uint GetCommand,
    uint SetCommand,
    int RequestBytes,
    int Index,
    bool IsSwitch = false)
{
    public static CardNumber RingRx { get; } = Ring("rx", 5);

    public static CardNumber RingTx { get; } = Ring("tx", 8);

    public static CardNumber QueuesCombined { get; } = Queues("combined", 8);

    public static CardNumber QueuesRx { get; } = Queues("rx", 5);

    public static CardNumber QueuesTx { get; } = Queues("tx", 6);

    public static CardNumber AdaptiveRx { get; } = Coalesce("adaptive-rx", 10, isSwitch: true);

    public static CardNumber AdaptiveTx { get; } = Coalesce("adaptive-tx", 11, isSwitch: true);

    /// <summary>How long the card waits after an arrival before it interrupts.</summary>
    public static CardNumber RxMicroseconds { get; } = Coalesce("rx-usecs", 1);

    public static CardNumber TxMicroseconds { get; } = Coalesce("tx-usecs", 5);

    public static CardNumber PauseRx { get; } = Pause("rx", 2);

    public static CardNumber PauseTx { get; } = Pause("tx", 3);

    public static IReadOnlyList<CardNumber> All { get; } =
    [
        RingRx, RingTx, QueuesCombined, QueuesRx, QueuesTx, AdaptiveRx, AdaptiveTx, RxMicroseconds, TxMicroseconds,
        PauseRx, PauseTx,
    ];

    private static CardNumber Ring(string argument, int index) => Of<ethtool_ringparam>(
        "ring", "-G", argument, Ethtool.ETHTOOL_GRINGPARAM, Ethtool.ETHTOOL_SRINGPARAM, index);

    private static CardNumber Queues(string argument, int index) => Of<ethtool_channels>(
        "queues", "-L", argument, Ethtool.ETHTOOL_GCHANNELS, Ethtool.ETHTOOL_SCHANNELS, index);

    private static CardNumber Coalesce(string argument, int index, bool isSwitch = false) => Of<ethtool_coalesce>(
        "coalesce", "-C", argument, Ethtool.ETHTOOL_GCOALESCE, Ethtool.ETHTOOL_SCOALESCE, index, isSwitch);

    private static CardNumber Pause(string argument, int index) => Of<ethtool_pauseparam>(
        "pause", "-A", argument, Ethtool.ETHTOOL_GPAUSEPARAM, Ethtool.ETHTOOL_SPAUSEPARAM, index, isSwitch: true);

    private static CardNumber Of<TRequest>(
        string kind, string option, string argument, uint get, uint set, int index, bool isSwitch = false)
        where TRequest : unmanaged =>
        new($"{kind}-{argument}", option, argument, get, set, Unsafe.SizeOf<TRequest>(), index, isSwitch);
}

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

/// <summary>What a card chooses the queue of a UDP datagram by.</summary>
internal sealed record FlowHashSetting(string Interface, string Kind) : HostSetting
{
    public const string Udp4 = "udp4";
    public const string Udp6 = "udp6";

    public override string Name => $"rx-flow-hash {Kind} of {Interface}";

    public override string Identity => $"flow-hash {Interface} {Kind}";

    private int Flow => string.Equals(Kind, Udp4, StringComparison.Ordinal) ? Ethtool.UDP_V4_FLOW : Ethtool.UDP_V6_FLOW;

    public override string CommandFor(string value) => $"ethtool -N {Interface} rx-flow-hash {Kind} {value}";

    public override string? Read(string rootPath)
    {
        using var replies = new CardReplies(rootPath);
        return FlowHash.Read(replies, Interface, Flow) is { } bits ? FlowHash.Format(bits) : null;
    }

    public override void Write(string rootPath, string value)
    {
        long bits = FlowHash.Parse(value)
            ?? throw new IOException($"{Name} cannot be {value}: expected letters of {FlowHash.Ports}");
        using var replies = new CardReplies(rootPath);
        FlowHash.Write(replies, Interface, Flow, bits);
    }
}

/// <summary>A switch as ethtool(8) writes it.</summary>
internal static class SwitchText
{
    public static string Of(bool isOn) => isOn ? "on" : "off";

    public static bool? Parse(string text) => text switch { "on" => true, "off" => false, _ => null };
}
