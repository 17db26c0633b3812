namespace Spate.Measurement.Bench;

/// <summary>Medians of figures that a round may not know.</summary>
internal static class BenchMath
{
    /// <summary>The median of those that are known; null when none is.</summary>
    public static double? Median(IEnumerable<double?> values)
    {
        double[] known = [.. values.OfType<double>()];
        return known.Length == 0 ? null : Statistics.Median(known);
    }
}
