using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>On Linux from <c>/proc/net</c> (main table only), elsewhere the interfaces with a gateway.</summary>
internal static class DefaultRoutes
{
    // linux/route.h.
    private const int RtfUp = 0x1;
    private const int RtfReject = 0x200;

    private const int MaxNames = 64;
    private const string Ipv6Zero = "00000000000000000000000000000000";

    public static List<string> Read(HostFiles files)
    {
        if (files.IsEmpty) return SystemInterfaces.WithGateway(SystemInterfaces.ReadAll(), MaxNames);

        var names = new List<string>();
        foreach (string line in files.ReadLines("proc/net/route"))
        {
            // Iface Destination Gateway Flags RefCnt Use Metric Mask ...
            string[] words = Words(line);
            if (words.Length > 7 && words[1] is "00000000" && words[7] is "00000000") Add(names, words[0], words[3]);
        }

        foreach (string line in files.ReadLines("proc/net/ipv6_route"))
        {
            // destination prefix source prefix next-hop metric references use flags device
            string[] words = Words(line);
            if (words.Length > 9 && words[0] is Ipv6Zero && words[1] is "00") Add(names, words[9], words[8]);
        }

        return names;
    }

    private static string[] Words(string line) =>
        line.Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    private static void Add(List<string> names, string name, string flags)
    {
        if (HexText.TryParse(flags, out uint value) && (value & RtfUp) != 0 && (value & RtfReject) == 0
            && names.Count < MaxNames && !names.Contains(name))
        {
            names.Add(name);
        }
    }
}
