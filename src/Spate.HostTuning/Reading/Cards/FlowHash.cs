using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Reading.Cards;

/// <summary>What a card chooses a UDP datagram's queue by: bits RXH_* of the kernel, letters in ethtool(8).</summary>
internal static class FlowHash
{
    public const string Ports = "sdfn";

    private const int PortBits = Ethtool.RXH_L4_B_0_1 | Ethtool.RXH_L4_B_2_3;

    // struct ethtool_rxnfc: the command, the kind of flow, and 64 bits of answer; 192 bytes with what follows.
    private const int RequestBytes = 192;

    // As in ethtool(8), rx-flow-hash.
    private static readonly (char Letter, int Bit)[] Letters =
    [
        ('v', Ethtool.RXH_VLAN),
        ('t', Ethtool.RXH_L3_PROTO),
        ('s', Ethtool.RXH_IP_SRC),
        ('d', Ethtool.RXH_IP_DST),
        ('f', Ethtool.RXH_L4_B_0_1),
        ('n', Ethtool.RXH_L4_B_2_3),
    ];

    public static long? Read(CardReplies replies, string name, int flow)
    {
        byte[] buffer = Request(Ethtool.ETHTOOL_GRXFH, flow);
        return replies.TryAsk(name, buffer, Key(flow))
            ? MemoryMarshal.Read<long>(buffer.AsSpan(2 * sizeof(uint)))
            : null;
    }

    public static void Write(CardReplies replies, string name, int flow, long bits)
    {
        byte[] buffer = Request(Ethtool.ETHTOOL_SRXFH, flow);
        MemoryMarshal.Write(buffer.AsSpan(2 * sizeof(uint)), bits);
        replies.Tell(name, buffer, Key(flow));
    }

    public static bool HasPorts(long bits) => (bits & PortBits) == PortBits;

    /// <summary>Null for no bits, and for bits that have no letter here.</summary>
    public static string? Format(long bits)
    {
        string text = string.Concat(Letters.Where(one => (bits & one.Bit) != 0).Select(static one => one.Letter));
        return text.Length > 0 && Parse(text) == bits ? text : null;
    }

    /// <summary>Null for no letters, an unknown one, or one that comes twice.</summary>
    public static long? Parse(string text)
    {
        long bits = 0;
        foreach (char one in text)
        {
            int bit = Array.Find(Letters, known => known.Letter == one).Bit;
            if (bit == 0 || (bits & bit) != 0) return null;

            bits |= (uint)bit;
        }

        return bits == 0 ? null : bits;
    }

    private static byte[] Request(uint command, int flow) => CardReplies.Request(RequestBytes, command, (uint)flow);

    private static string Key(int flow) => $"29-{flow}";
}
