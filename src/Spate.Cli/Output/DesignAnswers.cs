using System.Globalization;
using Spate.Measurement.Bench.Designs;

namespace Spate.Cli.Output;

/// <summary>A sentence for every question that the comparison is made for, from its figures.</summary>
internal static class DesignAnswers
{
    private const string Baseline = "one-by-one";
    private const string Coalesced = "sharded-gro";
    private const double HalfCost = 0.5;
    private const double TenTimes = 10;

    /// <summary>The answers for rows of the same work and number of threads.</summary>
    public static IEnumerable<string> Of(IReadOnlyList<DesignRowResult> rows)
    {
        DesignRowResult[] known = [.. rows.Where(static row => row.NanosecondsPerDatagram > 0)];
        if (known.Length < 2)
        {
            yield break;
        }

        DesignRowResult[] singles = [.. known.Where(static row => row.Name is not Coalesced)];
        DesignRowResult? baseline = known.FirstOrDefault(static row => row.Name is Baseline);
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
            if (known.FirstOrDefault(row => string.Equals(row.Name, name, StringComparison.Ordinal)) is { } row)
            {
                double share = CostOf(row) / CostOf(baseline);
                yield return Text(
                    $"{name} costs {share:0.00} times one-by-one: {Verdict(share <= HalfCost)} at most half.");
            }
        }

        if (known.FirstOrDefault(static row => row.Name is Coalesced) is { } coalesced)
        {
            double factor = CostOf(baseline) / CostOf(coalesced);
            yield return Text(
                $"sharded-gro costs a {factor:0.0}th of one-by-one: {Verdict(factor >= TenTimes)} ten times better.");
        }
    }

    private static string Cheapest(DesignRowResult[] rows, DesignRowResult? baseline)
    {
        DesignRowResult best = rows.MinBy(CostOf)!;
        string compared = baseline is null || best == baseline
            ? ""
            : Text($", {CostOf(best) / CostOf(baseline):0.00} times one-by-one");
        return Text($"Least CPU, datagrams one by one on the wire: {best.Name}, {CostOf(best):0} ns{compared}.");
    }

    private static string Fastest(DesignRowResult[] rows)
    {
        DesignRowResult best = rows.MaxBy(static row => row.DatagramsPerSecond)!;
        return $"Most datagrams: {best.Name}, {Units.PerSecond(best.DatagramsPerSecond)}/s, "
            + Text($"{best.ProcessedPercent:0.0} % of those sent.");
    }

    private static double CostOf(DesignRowResult row) => row.NanosecondsPerDatagram!.Value;

    private static string Verdict(bool isReached) => isReached ? "it is" : "it is not";

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
