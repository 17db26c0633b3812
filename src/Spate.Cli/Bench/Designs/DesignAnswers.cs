using System.Globalization;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.Designs;

/// <summary>Sentences that compare the designs by their figures.</summary>
internal static class DesignAnswers
{
    private const string Baseline = "one-by-one";
    private const string Coalesced = "sharded-gro";

    /// <summary>Compares rows that have the same work and the same number of threads.</summary>
    public static IEnumerable<string> Of(IReadOnlyList<DesignRow> rows)
    {
        DesignRow[] known = [.. rows.Where(static row => row.NanosecondsPerDatagram > 0)];
        if (known.Length < 2) yield break;

        DesignRow[] singles = [.. known.Where(static row => row.Design is not Coalesced)];
        DesignRow? baseline = known.FirstOrDefault(static row => row.Design is Baseline);
        if (singles.Length > 1)
        {
            yield return Cheapest(singles, baseline);
            yield return Fastest(singles);
        }

        if (baseline is null) yield break;

        foreach (string name in (string[])["ring", "adaptive"])
        {
            if (known.FirstOrDefault(row => string.Equals(row.Design, name, StringComparison.Ordinal)) is { } row)
            {
                yield return Text($"{name} costs {CostOf(row) / CostOf(baseline):0.00} times one-by-one.");
            }
        }

        if (known.FirstOrDefault(static row => row.Design is Coalesced) is { } coalesced)
        {
            yield return Text($"one-by-one costs {CostOf(baseline) / CostOf(coalesced):0.0} times sharded-gro.");
        }
    }

    private static string Cheapest(DesignRow[] rows, DesignRow? baseline)
    {
        DesignRow best = rows.MinBy(CostOf)!;
        string compared = baseline is null || best == baseline
            ? ""
            : Text($", {CostOf(best) / CostOf(baseline):0.00} times one-by-one");
        return Text($"Least CPU, datagrams one by one on the wire: {best.Design}, {CostOf(best):0} ns{compared}.");
    }

    private static string Fastest(DesignRow[] rows)
    {
        DesignRow best = rows.MaxBy(static row => row.DatagramsPerSecond)!;
        return $"Most datagrams: {best.Design}, {Units.PerSecond(best.DatagramsPerSecond)}/s, "
            + Text($"{best.ProcessedPercent:0.0} % of those sent.");
    }

    private static double CostOf(DesignRow row) => row.NanosecondsPerDatagram!.Value;

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
