using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Reading.Cards;

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
        byte[] buffer = new byte[HeadBytes + (2 * names.Length * sizeof(ulong))];
        MemoryMarshal.Write(buffer, Ethtool.ETHTOOL_GSTATS);
        MemoryMarshal.Write(buffer.AsSpan(sizeof(uint)), (uint)names.Length);
        if (!replies.TryAsk(name, buffer, "1d")) return counters;

        ReadOnlySpan<ulong> values = MemoryMarshal.Cast<byte, ulong>(buffer.AsSpan(HeadBytes));
        int count = Math.Min(names.Length, MemoryMarshal.Read<int>(buffer.AsSpan(sizeof(uint))));
        for (int i = 0; i < count; i++) counters.TryAdd(names[i], values[i]);
        return counters;
    }
}
