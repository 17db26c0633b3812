using System.Collections.ObjectModel;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Reading.Cards;

/// <summary>How a card is set, as ethtool(8) shows it. A value is null where its driver does not tell.</summary>
internal sealed record CardSettings
{
    /// <summary><c>ethtool -g</c>.</summary>
    public ethtool_ringparam? Rings { get; init; }

    /// <summary><c>ethtool -l</c>.</summary>
    public ethtool_channels? Channels { get; init; }

    /// <summary><c>ethtool -c</c>.</summary>
    public ethtool_coalesce? Coalesce { get; init; }

    /// <summary><c>ethtool -a</c>.</summary>
    public ethtool_pauseparam? Pause { get; init; }

    /// <summary><c>ethtool</c> alone.</summary>
    public CardLink? Link { get; init; }

    /// <summary>Bits RXH_* (<c>ethtool -n</c>).</summary>
    public long? Udp4FlowHash { get; init; }

    public long? Udp6FlowHash { get; init; }

    /// <summary>By their names (<c>ethtool -k</c>).</summary>
    public IReadOnlyDictionary<string, CardFeature> Features { get; init; } =
        ReadOnlyDictionary<string, CardFeature>.Empty;

    /// <summary><c>ethtool -S</c>.</summary>
    public IReadOnlyDictionary<string, ulong> Statistics { get; init; } = ReadOnlyDictionary<string, ulong>.Empty;

    public static CardSettings Read(CardReplies replies, string name) => new()
    {
        Rings = Ask<ethtool_ringparam>(replies, name, Ethtool.ETHTOOL_GRINGPARAM),
        Channels = Ask<ethtool_channels>(replies, name, Ethtool.ETHTOOL_GCHANNELS),
        Coalesce = Ask<ethtool_coalesce>(replies, name, Ethtool.ETHTOOL_GCOALESCE),
        Pause = Ask<ethtool_pauseparam>(replies, name, Ethtool.ETHTOOL_GPAUSEPARAM),
        Link = CardLink.Read(replies, name),
        Udp4FlowHash = FlowHash.Read(replies, name, Ethtool.UDP_V4_FLOW),
        Udp6FlowHash = FlowHash.Read(replies, name, Ethtool.UDP_V6_FLOW),
        Features = CardFeatures.Read(replies, name),
        Statistics = CardStatistics.Read(replies, name),
    };

    // Every such request begins with its command.
    private static T? Ask<T>(CardReplies replies, string name, uint command)
        where T : unmanaged
    {
        T request = default;
        MemoryMarshal.Write(MemoryMarshal.AsBytes(new Span<T>(ref request)), command);
        return replies.TryAsk(name, ref request, command) ? request : null;
    }
}
