using MathNet.Numerics.Statistics;

namespace Spate.Measurement.Arithmetic;

/// <summary>The figures that summarise the rounds of a measurement.</summary>
internal static class Statistics
{
    /// <summary>The middle of at least one value, or the mean of the two in the middle.</summary>
    public static double Median(ReadOnlySpan<double> values) => SortedArrayStatistics.Median(Sorted(values));

    /// <summary>The median of the known values; null if none is known.</summary>
    public static double? MedianOfKnown(IEnumerable<double?> values)
    {
        double[] known = [.. values.OfType<double>()];
        return known.Length == 0 ? null : Median(known);
    }

    /// <summary>
    /// How far the rounds lie apart: (largest - smallest) / median, in percent; 0 for one value or a median of 0.
    /// It hides no outlier, so it is the honest figure for a handful of rounds.
    /// </summary>
    public static double SpreadPercent(ReadOnlySpan<double> values)
    {
        double[] sorted = Sorted(values);
        return 100 * Ratio(sorted[^1] - sorted[0], Math.Abs(SortedArrayStatistics.Median(sorted)));
    }

    /// <summary>
    /// The median of the ratios of pairs. The two values of a pair are measured in turn, so that both meet the same
    /// state of the machine. This is not the ratio of the medians. No denominator is 0.
    /// </summary>
    public static double MedianRatio(ReadOnlySpan<double> numerators, ReadOnlySpan<double> denominators)
    {
        if (numerators.Length != denominators.Length)
        {
            throw new ArgumentException("Each numerator needs a denominator: the counts differ.", nameof(denominators));
        }

        var ratios = new double[numerators.Length];
        for (int i = 0; i < ratios.Length; i++)
        {
            ratios[i] = numerators[i] / denominators[i];
        }

        return Median(ratios);
    }

    /// <summary>A quotient for reports: 0 where none is finite, since JSON cannot express infinity or NaN.</summary>
    public static double Ratio(double numerator, double denominator)
    {
        double quotient = numerator / denominator;
        return double.IsFinite(quotient) ? quotient : 0;
    }

    private static double[] Sorted(ReadOnlySpan<double> values)
    {
        if (values.IsEmpty) throw new ArgumentException("At least one value is needed.", nameof(values));

        double[] sorted = values.ToArray();
        if (Array.Exists(sorted, static value => !double.IsFinite(value)))
        {
            throw new ArgumentException("A value is not a finite number.", nameof(values));
        }

        Array.Sort(sorted);
        return sorted;
    }
}
