using System.Collections.ObjectModel;
using System.Runtime.CompilerServices;
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

/// <summary>Reads what a driver counts, as <c>ethtool -S</c> shows it. Names differ from driver to driver.</summary>
internal static class CardStatistics
{
    // Cards with 128 queues count some 30 things for each.
    private const int MaxStatistics = 16 * 1024;
    private const int HeadBytes = 2 * sizeof(uint);

    public static IReadOnlyDictionary<string, ulong> Read(CardReplies replies, string name)
    {
        var counters = new Dictionary<string, ulong>(StringComparer.Ordinal);
        string[] names = CardStrings.Read(replies, name, Ethtool.ETH_SS_STATS, MaxStatistics);
        if (names.Length == 0) return counters;

        // Room for twice as many, for the reason that CardStrings names (ethtool_get_stats, net/ethtool/ioctl.c).
        byte[] buffer = CardReplies.Request(
            HeadBytes + (2 * names.Length * sizeof(ulong)), Ethtool.ETHTOOL_GSTATS, (uint)names.Length);
        if (!replies.TryAsk(name, buffer, "1d")) return counters;

        ReadOnlySpan<ulong> values = MemoryMarshal.Cast<byte, ulong>(buffer.AsSpan(HeadBytes));
        int count = Math.Min(names.Length, MemoryMarshal.Read<int>(buffer.AsSpan(sizeof(uint))));
        for (int i = 0; i < count; i++) counters.TryAdd(names[i], values[i]);
        return counters;
    }
}

/// <summary>As in <c>ethtool -k</c>. <c>IsRequested</c>: it may still lack another feature that it needs.</summary>
internal sealed record CardFeature(string Name, int Index, bool IsOn, bool IsFixed, bool IsRequested);

/// <summary>Reads the features of an interface: offloads above all.</summary>
internal static class CardFeatures
{
    // The kernel of 2026 has some 60 features and at most 64, a bit each (netdev_features_t).
    private const int MaxFeatures = 256;
    private const int BitsPerBlock = 32;
    private const int HeadBytes = 2 * sizeof(uint);

    public static IReadOnlyDictionary<string, CardFeature> Read(CardReplies replies, string name)
    {
        var features = new Dictionary<string, CardFeature>(StringComparer.Ordinal);
        string[] names = CardStrings.Read(replies, name, Ethtool.ETH_SS_FEATURES, MaxFeatures);
        int blocks = (names.Length + BitsPerBlock - 1) / BitsPerBlock;
        if (blocks == 0) return features;

        int blockBytes = Unsafe.SizeOf<ethtool_get_features_block>();
        byte[] buffer = CardReplies.Request(
            HeadBytes + (blocks * blockBytes), Ethtool.ETHTOOL_GFEATURES, (uint)blocks);
        if (!replies.TryAsk(name, buffer, "3a")) return features;

        ReadOnlySpan<ethtool_get_features_block> read =
            MemoryMarshal.Cast<byte, ethtool_get_features_block>(buffer.AsSpan(HeadBytes));
        for (int i = 0; i < names.Length; i++)
        {
            ethtool_get_features_block block = read[i / BitsPerBlock];
            uint bit = 1u << (i % BitsPerBlock);
            bool isFixed = (block.available & bit) == 0 || (block.never_changed & bit) != 0;
            bool isRequested = (block.requested & bit) != 0;
            features.TryAdd(names[i], new CardFeature(names[i], i, (block.active & bit) != 0, isFixed, isRequested));
        }

        return features;
    }

    /// <summary>The driver may leave it as it is, which only a reading tells. IOException where it refuses.</summary>
    public static void Write(CardReplies replies, string name, string feature, bool isOn)
    {
        IReadOnlyDictionary<string, CardFeature> features = Read(replies, name);
        if (!features.TryGetValue(feature, out CardFeature? known))
        {
            throw new IOException($"{name} has no feature {feature}");
        }

        int blocks = (features.Values.Max(static one => one.Index) / BitsPerBlock) + 1;
        int blockBytes = Unsafe.SizeOf<ethtool_set_features_block>();
        byte[] buffer = CardReplies.Request(
            HeadBytes + (blocks * blockBytes), Ethtool.ETHTOOL_SFEATURES, (uint)blocks);
        Span<ethtool_set_features_block> written =
            MemoryMarshal.Cast<byte, ethtool_set_features_block>(buffer.AsSpan(HeadBytes));
        uint bit = 1u << (known.Index % BitsPerBlock);
        written[known.Index / BitsPerBlock] = new() { valid = bit, requested = isOn ? bit : 0 };
        replies.Tell(name, buffer, "3b");
    }
}
