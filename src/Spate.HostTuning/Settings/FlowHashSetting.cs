using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Cards;

namespace Spate.HostTuning.Settings;

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
            ?? throw new IOException($"{Name} cannot be {value}: letters of {FlowHash.Ports} are expected");
        using var replies = new CardReplies(rootPath);
        FlowHash.Write(replies, Interface, Flow, bits);
    }
}
