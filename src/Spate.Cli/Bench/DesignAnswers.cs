using System.Globalization;
using Spate.Cli.Terminal;
using Spate.Measurement.Bench.Designs;

namespace Spate.Cli.Bench;

/// <summary>A sentence for every question that the comparison is made for, from its figures.</summary>
internal static class DesignAnswers
{
    private const string Baseline = "one-by-one";
    private const string Coalesced = "sharded-gro";
    private const double HalfCost = 0.5;
    private const double TenTimes = 10;

    /// <summary>The answers for rows of the same work and number of threads.</summary>
    public static IEnumerable<string> Of(IReadOnlyList<DesignRow> rows)
    {
        DesignRow[] known = [.. rows.Where(static row => row.NanosecondsPerDatagram > 0)];
        if (known.Length < 2)
        {
            yield break;
        }

        DesignRow[] singles = [.. known.Where(static row => row.Design is not Coalesced)];
        DesignRow? baseline = known.FirstOrDefault(static row => row.Design is Baseline);
        if (singles.Length > 1)
        {
            yield return Cheapest(singles, baseline);
            yield return Fastest(singles);
        }

        if (baseline is null)
        {
            yield break;
        }

        foreach (string name in (string[])["ring", "adaptive"])
        {
            if (known.FirstOrDefault(row => string.Equals(row.Design, name, StringComparison.Ordinal)) is { } row)
            {
                double share = CostOf(row) / CostOf(baseline);
                string verdict = share <= HalfCost
                    ? "at most half, as it should be"
                    : "more than the half it should be";
                yield return Text($"{name} costs {share:0.00} times one-by-one") + EndOf(baseline, verdict);
            }
        }

        if (known.FirstOrDefault(static row => row.Design is Coalesced) is { } coalesced)
        {
            double factor = CostOf(baseline) / CostOf(coalesced);
            string verdict = factor >= TenTimes
                ? "at least ten times, as it should be"
                : "less than the ten times it should be";
            yield return Text($"one-by-one costs {factor:0.0} times sharded-gro") + EndOf(baseline, verdict);
        }
    }

    // What work costs is the same in every design, so the ratio with work says how much of it is left to the design.
    private static string EndOf(DesignRow baseline, string verdict) =>
        baseline.WorkRounds == 0 && baseline.ThreadCount > 1 ? $": {verdict}." : ".";

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
