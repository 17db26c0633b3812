using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Reading.Cards;

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
        byte[] buffer = new byte[HeadBytes + (blocks * blockBytes)];
        MemoryMarshal.Write(buffer, Ethtool.ETHTOOL_GFEATURES);
        MemoryMarshal.Write(buffer.AsSpan(sizeof(uint)), (uint)blocks);
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
        byte[] buffer = new byte[HeadBytes + (blocks * Unsafe.SizeOf<ethtool_set_features_block>())];
        MemoryMarshal.Write(buffer, Ethtool.ETHTOOL_SFEATURES);
        MemoryMarshal.Write(buffer.AsSpan(sizeof(uint)), (uint)blocks);
        Span<ethtool_set_features_block> written =
            MemoryMarshal.Cast<byte, ethtool_set_features_block>(buffer.AsSpan(HeadBytes));
        uint bit = 1u << (known.Index % BitsPerBlock);
        written[known.Index / BitsPerBlock] = new() { valid = bit, requested = isOn ? bit : 0 };
        replies.Tell(name, buffer, "3b");
    }
}
