using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Reading.Cards;

/// <summary>The link of a card, as <c>ethtool</c> shows it. <c>Megabits</c> are Mbit/s; null without a link.</summary>
/// <param name="MaxMegabits">The highest speed that the card supports; null where unknown.</param>
internal sealed record CardLink(uint? Megabits, bool IsHalfDuplex, uint? MaxMegabits)
{
    private const uint MaxSpeed = 10_000_000;
    private const int MaxWords = sbyte.MaxValue;
    private const int BitsPerWord = 32;

    // The numbers of ETHTOOL_LINK_MODE_*_BIT in linux/ethtool.h, up to what Linux 6.1 has; others count as unknown.
    private static readonly (uint Megabits, int[] Modes)[] Speeds =
    [
        (10, [0, 1, 92]),
        (100, [2, 3, 67, 90, 91]),
        (1000, [4, 5, 17, 41, 68]),
        (2500, [15, 47]),
        (5000, [48]),
        (10_000, [12, 18, 19, 42, 43, 44, 45, 46]),
        (20_000, [21, 22]),
        (25_000, [31, 32, 33]),
        (40_000, [23, 24, 25, 26]),
        (50_000, [34, 35, 40, 52, 53, 54, 55, 56]),
        (56_000, [27, 28, 29, 30]),
        (100_000, [36, 37, 38, 39, 57, 58, 59, 60, 61, 75, 76, 77, 78, 79]),
        (200_000, [62, 63, 64, 65, 66, 80, 81, 82, 83, 84]),
        (400_000, [69, 70, 71, 72, 73, 85, 86, 87, 88, 89]),
    ];

    public static CardLink? Read(CardReplies replies, string name)
    {
        int headBytes = Unsafe.SizeOf<ethtool_link_settings>();
        byte[] buffer = new byte[headBytes + (3 * MaxWords * sizeof(uint))];
        if (!TryAsk(replies, name, buffer, words: 0, out ethtool_link_settings head)) return null;

        // The first answer has no link modes, but how many words they take, with a minus.
        if (head.link_mode_masks_nwords < 0
            && !TryAsk(replies, name, buffer, (sbyte)-head.link_mode_masks_nwords, out head))
        {
            return null;
        }

        int words = Math.Max(0, (int)head.link_mode_masks_nwords);
        ReadOnlySpan<uint> supported = MemoryMarshal.Cast<byte, uint>(buffer.AsSpan(headBytes))[..words];
        return new CardLink(
            head.speed is > 0 and <= MaxSpeed ? head.speed : null,
            head.duplex == Ethtool.DUPLEX_HALF,
            MaxOf(supported));
    }

    private static bool TryAsk(
        CardReplies replies, string name, byte[] buffer, sbyte words, out ethtool_link_settings head)
    {
        head = new ethtool_link_settings { cmd = Ethtool.ETHTOOL_GLINKSETTINGS, link_mode_masks_nwords = words };
        MemoryMarshal.Write(buffer, in head);
        bool isKnown = replies.TryAsk(name, buffer, "4c");
        head = MemoryMarshal.Read<ethtool_link_settings>(buffer);
        return isKnown && head.link_mode_masks_nwords != sbyte.MinValue;
    }

    private static uint? MaxOf(ReadOnlySpan<uint> supported)
    {
        uint? max = null;
        foreach ((uint megabits, int[] modes) in Speeds)
        {
            foreach (int mode in modes)
            {
                int word = mode / BitsPerWord;
                if (word < supported.Length && (supported[word] >> (mode % BitsPerWord) & 1) != 0) max = megabits;
            }
        }

        return max;
    }
}
