using System.Runtime.InteropServices;
using MathNet.Numerics.Distributions;
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

/// <summary>
/// How many times the values of one sample are those of another. Welch's t-test of the logarithms: it takes samples of
/// different size and spread, and a figure that varies by a share of itself has logarithms that vary alike.
/// </summary>
/// <param name="Ratio">The geometric mean of the second sample over that of the first.</param>
/// <param name="Low">The lower end of the 95 % confidence interval of the ratio.</param>
/// <param name="DetectablePercent">What 80 of 100 comparisons show, in percent of the first sample.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct LogRatio(double Ratio, double Low, double High, double DetectablePercent)
{
    public const double ConfidencePercent = 95;

    private const double UpperQuantile = 0.975; // half of the 5 % lies above the interval, the other half below
    private const double Power = 0.8;

    /// <summary>Whether 1 is outside the interval: the samples differ by more than chance explains.</summary>
    public bool IsShown => Low > 1 || High < 1;

    /// <summary>Compares two samples, each of at least two values that are positive and finite.</summary>
    public static LogRatio Of(IReadOnlyList<double> first, IReadOnlyList<double> second)
    {
        double[] a = Logarithms(first);
        double[] b = Logarithms(second);
        double difference = b.Mean() - a.Mean();
        double partA = a.Variance() / a.Length;
        double partB = b.Variance() / b.Length;
        double error = Math.Sqrt(partA + partB);

        // Rounds of a deterministic figure may all be alike: then nothing is left to chance.
        if (error == 0) return new LogRatio(Math.Exp(difference), Math.Exp(difference), Math.Exp(difference), 0);

        // Welch (1947) and Satterthwaite (1946).
        double freedom = (partA + partB) * (partA + partB)
            / ((partA * partA / (a.Length - 1)) + (partB * partB / (b.Length - 1)));
        double reach = StudentT.InvCDF(0, 1, freedom, UpperQuantile) * error;
        double detectable = reach + (StudentT.InvCDF(0, 1, freedom, Power) * error);
        return new LogRatio(
            Math.Exp(difference),
            Math.Exp(difference - reach),
            Math.Exp(difference + reach),
            100 * (Math.Exp(detectable) - 1));
    }

    private static double[] Logarithms(IReadOnlyList<double> values)
    {
        if (values.Count < 2) throw new ArgumentException("At least two values are needed.", nameof(values));

        return [.. values.Select(static value => value > 0 && double.IsFinite(value)
            ? Math.Log(value)
            : throw new ArgumentException("A value is not positive and finite.", nameof(values)))];
    }
}

/// <summary>
/// Whether the values of one sample are larger than those of another. The rank sum test (Wilcoxon, 1945) is exact here:
/// it counts every way to share the ranks between the two samples. It needs no ratio, so values may be 0, and it needs
/// no distribution, so many of them may be. Equal values share the mean of their ranks.
/// </summary>
/// <param name="Shift">Above 0 where the second sample has the higher ranks, below 0 where it has the lower.</param>
/// <param name="Chance">The part of all ways to share the ranks that are at least as far apart, 0 to 1.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct RankSum(int Shift, double Chance)
{
    /// <summary>The number of values of both samples together that can be counted in about 0.1 s.</summary>
    public const int MaxValues = 120;

    private const double MaxChance = 1 - (LogRatio.ConfidencePercent / 100);

    public bool IsShown => Chance <= MaxChance;

    /// <summary>Compares two samples, each of at least one value.</summary>
    public static RankSum Of(IReadOnlyList<double> first, IReadOnlyList<double> second)
    {
        if (first.Count == 0 || second.Count == 0 || first.Count + second.Count > MaxValues)
        {
            throw new ArgumentException($"Both samples need values, {MaxValues} at most.", nameof(second));
        }

        int[] ranks = TwiceTheRanks([.. first, .. second]);
        int expected = second.Count * (ranks.Length + 1);
        int shift = ranks.Skip(first.Count).Sum() - expected;
        double far = 0;
        double all = 0;
        foreach ((int sum, double ways) in CountWays(ranks, second.Count).Index())
        {
            all += ways;
            if (Math.Abs(sum - expected) >= Math.Abs(shift)) far += ways;
        }

        return new RankSum(shift, far / all);
    }

    // The mean rank of equal values may be a half. Twice of it never is.
    private static int[] TwiceTheRanks(double[] values) =>
        [.. values.Select(value => values.Count(other => other < value) + values.Count(other => other <= value) + 1)];

    /// <summary>The number of ways to choose so many of the ranks, at the index of their sum.</summary>
    private static double[] CountWays(int[] ranks, int count)
    {
        int maxSum = ranks.Sum();
        double[][] ways = [.. Enumerable.Range(0, count + 1).Select(_ => new double[maxSum + 1])];
        ways[0][0] = 1;
        foreach (int rank in ranks)
        {
            // The larger choices first: a rank is chosen only once.
            for (int chosen = count; chosen > 0; chosen--)
            {
                for (int sum = rank; sum <= maxSum; sum++) ways[chosen][sum] += ways[chosen - 1][sum - rank];
            }
        }

        return ways[count];
    }
}

/// <summary>
/// Sums and products of counts, none negative, that senders drive up: they stop at the largest value.
/// </summary>
internal static class Saturating
{
    public static long Add(long left, long right)
    {
        long sum = unchecked(left + right);
        return sum < 0 ? long.MaxValue : sum;
    }

    public static long Multiply(long left, long right) =>
        Math.BigMul(left, right, out long low) == 0 && low >= 0 ? low : long.MaxValue;
}
