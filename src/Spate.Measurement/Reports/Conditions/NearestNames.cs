namespace Spate.Measurement.Reports.Conditions;

/// <summary>Finds the names of a report that are nearest to one that it does not have.</summary>
internal static class NearestNames
{
    private const int MaxSuggestions = 3;

    // No report is deeper. The bound ends the walk through a type that contains itself.
    private const int MaxDepth = 8;

    // The distance of two texts is the share of their letters that differ, and the last name counts twice: users of a
    // wrong path usually know the figure, and not where it is.
    private const double FigureWeight = 2;

    // The distance of a field inside of what was named, and of one whose name contains the text.
    private const double NearDistance = 0.2;

    // In a shorter text, being contained means nothing.
    private const int MinContainedLength = 3;

    // Beyond this distance, names have a few letters in common by chance: "sent" and "schema" have 2.
    private const double MaxDistance = 1.4;

    // The reports' names for figures that users call by another word.
    private static readonly Dictionary<string, string> Synonyms = new(StringComparer.Ordinal)
    {
        ["sent"] = "datagrams",
        ["received"] = "datagrams",
        ["delivered"] = "datagrams",
        ["packets"] = "datagrams",
        ["count"] = "datagrams",
        ["total"] = "datagrams",
        ["loss"] = "lost",
        ["losspercent"] = "lostpercent",
        ["missing"] = "lost",
        ["pps"] = "datagramspersecond",
        ["rate"] = "datagramspersecond",
        ["bandwidth"] = "bitspersecond",
        ["bitrate"] = "bitspersecond",
        ["throughput"] = "bitspersecond",
        ["dups"] = "duplicated",
        ["ooo"] = "reordered",
        ["gsofallbacks"] = "demotions",
    };

    /// <summary>As a condition names them, the nearest first; empty where no field has a similar name.</summary>
    public static string[] Of(ReportNode report, string path)
    {
        string typed = Plain(path);
        string meant = Synonyms.TryGetValue(Last(typed), out string? name)
            ? typed[..^Last(typed).Length] + name
            : typed;
        return [.. PathsIn(report, prefix: "", depth: 0)
            .Select(known => (known, distance: Math.Min(Distance(typed, Plain(known)), Distance(meant, Plain(known)))))
            .Where(static one => one.distance <= MaxDistance)
            .OrderBy(static one => one.distance)
            .ThenBy(static one => one.known.Length)
            .Take(MaxSuggestions)
            .Select(static one => one.known)];
    }

    /// <summary>Every field with a single value, with <c>[*]</c> for the elements of a list.</summary>
    public static IEnumerable<string> PathsIn(ReportNode node, string prefix, int depth)
    {
        if (depth == MaxDepth) yield break;

        foreach (ReportNode field in node.Fields)
        {
            string path = prefix + field.Name;
            ReportNode value = field;
            while (value.Kind == NodeKind.List)
            {
                path += "[*]";
                value = value.Element;
            }

            if (value.Kind is not (NodeKind.Object or NodeKind.Map))
            {
                yield return path;
                continue;
            }

            foreach (string inner in PathsIn(value, path + ".", depth + 1)) yield return inner;
        }
    }

    private static double Distance(string typed, string known)
    {
        if (known.StartsWith(typed + ".", StringComparison.Ordinal)) return NearDistance;

        string figure = Last(typed);
        string candidate = Last(known);
        bool isContained = figure.Length >= MinContainedLength && candidate.Contains(figure, StringComparison.Ordinal);
        double ofFigure = isContained ? Math.Min(NearDistance, Share(figure, candidate)) : Share(figure, candidate);
        return (FigureWeight * ofFigure) + Share(typed, known);
    }

    private static double Share(string from, string to) =>
        (double)Changes(from, to) / Math.Max(1, Math.Max(from.Length, to.Length));

    private static string Last(string path) => path[(path.LastIndexOf('.') + 1)..];

    private static string Plain(string path)
    {
        int depth = 0;
        return string.Concat(path.ToLowerInvariant().Where(c =>
        {
            depth += c is '[' ? 1 : 0;
            bool isPlain = depth == 0;
            depth -= c is ']' && depth > 0 ? 1 : 0;
            return isPlain && !char.IsWhiteSpace(c);
        }));
    }

    /// <summary>Letters to insert, delete or replace (Levenshtein, 1965).</summary>
    private static int Changes(string from, string to)
    {
        int[] row = [.. Enumerable.Range(0, to.Length + 1)];
        for (int i = 1; i <= from.Length; i++)
        {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.Length; j++)
            {
                int replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, 1 + Math.Min(row[j], row[j - 1]));
            }
        }

        return row[^1];
    }
}
