using System.Globalization;
using System.Text;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Firewall;

/// <summary>Finds the rules that drop in what <c>iptables-save -c</c> prints (iptables-save(8)): pure.</summary>
internal static class TableRules
{
    private const int MaxRules = 4096;

    public static IReadOnlyList<DropRule> Parse(string text, string family)
    {
        var rules = new List<DropRule>();
        var lines = new Dictionary<string, int>(StringComparer.Ordinal);
        string table = "";
        foreach (string line in text.Split('\n'))
        {
            string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (line.StartsWith('*')) table = line[1..];
            if (words.Length < 3 || rules.Count == MaxRules) continue;

            // [packets:bytes] -A CHAIN ... -j TARGET
            int add = Array.IndexOf(words, "-A");
            if (add is not (0 or 1)) continue;

            string chain = $"{family} {table} {words[add + 1]}";
            int number = lines[chain] = lines.GetValueOrDefault(chain) + 1;
            int jump = Array.IndexOf(words, "-j");
            if (jump < 0 || jump + 1 >= words.Length || words[jump + 1] is not ("DROP" or "REJECT")) continue;
            if (IsForOtherProtocol(words)) continue;

            string place = string.Create(CultureInfo.InvariantCulture, $"{chain} {number}");
            rules.Add(new DropRule(string.Join(' ', place.Split(' ').Select(Escape)))
            {
                Packets = add == 1 ? ReadPackets(words[0]) : null,
            });
        }

        return rules;
    }

    // "-p tcp" without "!" ahead of it: such a rule drops no datagram.
    private static bool IsForOtherProtocol(string[] words)
    {
        int option = Array.IndexOf(words, "-p");
        return option > 0 && option + 1 < words.Length && words[option - 1] is not "!"
            && words[option + 1] is not ("udp" or "udplite" or "all");
    }

    private static long? ReadPackets(string counters) =>
        counters.StartsWith('[')
        && long.TryParse(
            counters.AsSpan(1, Math.Max(0, counters.IndexOf(':', StringComparison.Ordinal) - 1)),
            NumberStyles.None,
            CultureInfo.InvariantCulture,
            out long packets)
            ? packets
            : null;

    private static string Escape(string name) => FileText.Escape(Encoding.UTF8.GetBytes(name));
}
