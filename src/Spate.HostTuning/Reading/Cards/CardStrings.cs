using System.Globalization;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Cards;

/// <summary>Reads the names that a driver gives to what it counts and to its features.</summary>
internal static class CardStrings
{
    private const int SetHeadBytes = 2 * sizeof(uint) + sizeof(ulong);
    private const int StringHeadBytes = 3 * sizeof(uint);

    /// <summary>In the order of their numbers, empty for no such set. Drivers of many queues have thousands.</summary>
    public static string[] Read(CardReplies replies, string name, int set, int maxCount)
    {
        int count = Count(replies, name, set);
        if (count <= 0 || count > maxCount) return [];

        // The kernel writes as many as there are by now, whatever was asked for (ethtool_get_strings,
        // net/ethtool/ioctl.c). A driver may have got a queue more meanwhile, so there is room for twice as many.
        byte[] buffer = new byte[StringHeadBytes + (2 * count * Ethtool.ETH_GSTRING_LEN)];
        MemoryMarshal.Write(buffer, Ethtool.ETHTOOL_GSTRINGS);
        MemoryMarshal.Write(buffer.AsSpan(sizeof(uint)), (uint)set);
        MemoryMarshal.Write(buffer.AsSpan(2 * sizeof(uint)), (uint)count);
        if (!replies.TryAsk(name, buffer, Key("1b", set))) return [];

        var names = new string[count];
        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<byte> text =
                buffer.AsSpan(StringHeadBytes + (i * Ethtool.ETH_GSTRING_LEN), Ethtool.ETH_GSTRING_LEN);
            names[i] = FileText.Escape(FileText.BeforeNul(text));
        }

        return names;
    }

    // struct ethtool_sset_info: a bit for each set asked for; the answer has one number for each set that is there.
    private static int Count(CardReplies replies, string name, int set)
    {
        Span<byte> buffer = stackalloc byte[SetHeadBytes + sizeof(uint)];
        buffer.Clear();
        MemoryMarshal.Write(buffer, Ethtool.ETHTOOL_GSSET_INFO);
        MemoryMarshal.Write(buffer[(2 * sizeof(uint))..], 1UL << set);
        bool isKnown = replies.TryAsk(name, buffer, Key("37", set))
            && MemoryMarshal.Read<ulong>(buffer[(2 * sizeof(uint))..]) == 1UL << set;
        return isKnown ? MemoryMarshal.Read<int>(buffer[SetHeadBytes..]) : 0;
    }

    private static string Key(string command, int set) =>
        string.Create(CultureInfo.InvariantCulture, $"{command}-{set}");
}
