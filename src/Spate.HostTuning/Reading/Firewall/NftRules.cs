using System.Globalization;
using System.Text.Json;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Firewall;

/// <summary>Finds the rules that drop in what <c>nft -j list ruleset</c> prints (libnftables-json(5)): pure.</summary>
internal static class NftRules
{
    private const int MaxRules = 4096;

    private static readonly string[] OtherProtocols = ["tcp", "icmp", "icmpv6", "ipv6-icmp", "igmp", "sctp", "dccp"];

    public static IReadOnlyList<DropRule>? Parse(string json)
    {
        try
        {
            using var document = JsonDocument.Parse(json);
            return document.RootElement.ValueKind == JsonValueKind.Object
                && document.RootElement.TryGetProperty("nftables", out JsonElement all)
                && all.ValueKind == JsonValueKind.Array
                    ? [.. all.EnumerateArray().Select(ParseOne).OfType<DropRule>().Take(MaxRules)]
                    : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static DropRule? ParseOne(JsonElement item)
    {
        if (!TryGet(item, "rule", out JsonElement rule) || !TryGet(rule, "expr", out JsonElement expressions)
            || expressions.ValueKind != JsonValueKind.Array
            || !expressions.EnumerateArray().Any(IsDrop)
            || expressions.EnumerateArray().Any(IsForOtherProtocol))
        {
            return null;
        }

        string[] words = [.. ((string[])["family", "table", "chain"]).Select(name => Text(rule, name))];
        string place = string.Join(' ', words.Select(FileText.Escape));
        long handle = Number(rule, "handle") ?? 0;
        int? port = FindPort(expressions);
        var drop = new DropRule($"{place} handle {handle}")
        {
            Packets = FindPackets(expressions),
            Port = port,
        };
        return port is { } number && Array.TrueForAll(words, IsPlain) ? WithAccept(drop, place, handle, number) : drop;
    }

    // A rule is deleted by its handle alone, which the kernel chooses (nft(8)): the comment finds the rule again.
    private static DropRule WithAccept(DropRule drop, string chain, long handle, int port)
    {
        string comment = $"spate-{port}";
        return drop with
        {
            Accept = $"nft insert rule {chain} position {handle} udp dport {port} accept comment {comment}",
            Undo = $"nft delete rule {chain} handle $(nft -a list chain {chain} | "
                + $"sed -n 's/.*comment \"{comment}\" # handle //p')",
        };
    }

    private static bool IsDrop(JsonElement expression) =>
        TryGet(expression, "drop", out _) || TryGet(expression, "reject", out _);

    // A rule for TCP or ICMP drops no datagram, and on most hosts there is always something for it to drop.
    // {"match": {"op": "==", "left": {"payload": {"protocol": "tcp", "field": "dport"}}, "right": 22}}
    // {"match": {"op": "==", "left": {"meta": {"key": "l4proto"}}, "right": "tcp"}}
    private static bool IsForOtherProtocol(JsonElement expression) =>
        TryGet(expression, "match", out JsonElement match) && TryGet(match, "left", out JsonElement left)
        && (TryGet(left, "payload", out JsonElement payload)
            ? OtherProtocols.Contains(Text(payload, "protocol"), StringComparer.Ordinal)
            : TryGet(left, "meta", out JsonElement meta) && Text(meta, "key") is "l4proto" && Text(match, "op") is "=="
                && OtherProtocols.Contains(Text(match, "right"), StringComparer.Ordinal));

    private static long? FindPackets(JsonElement expressions)
    {
        foreach (JsonElement one in expressions.EnumerateArray())
        {
            if (TryGet(one, "counter", out JsonElement counter)) return Number(counter, "packets");
        }

        return null;
    }

    // {"match": {"op": "==", "left": {"payload": {"protocol": "udp", "field": "dport"}}, "right": 9999}}
    private static int? FindPort(JsonElement expressions)
    {
        foreach (JsonElement one in expressions.EnumerateArray())
        {
            if (TryGet(one, "match", out JsonElement match) && TryGet(match, "left", out JsonElement left)
                && TryGet(left, "payload", out JsonElement payload)
                && Text(match, "op") is "==" && Text(payload, "protocol") is "udp" && Text(payload, "field") is "dport"
                && Number(match, "right") is >= 0 and <= 65_535 and var port)
            {
                return (int)port;
            }
        }

        return null;
    }

    private static bool TryGet(JsonElement element, string name, out JsonElement value)
    {
        value = default;
        return element.ValueKind == JsonValueKind.Object && element.TryGetProperty(name, out value);
    }

    private static string Text(JsonElement element, string name) =>
        TryGet(element, name, out JsonElement value) && value.ValueKind == JsonValueKind.String
            ? value.GetString() ?? ""
            : "";

    private static long? Number(JsonElement element, string name) =>
        TryGet(element, name, out JsonElement value) && value.ValueKind == JsonValueKind.Number
        && value.TryGetInt64(out long number)
            ? number
            : null;

    // Names that a shell takes as they are.
    private static bool IsPlain(string name) =>
        name.Length > 0 && char.IsAsciiLetter(name[0])
        && name.All(static one => char.IsAsciiLetterOrDigit(one) || one is '_' or '-' or '.');
}

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

            string place = $"{chain} {number}";
            rules.Add(new DropRule(string.Join(' ', place.Split(' ').Select(FileText.Escape)))
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
}
