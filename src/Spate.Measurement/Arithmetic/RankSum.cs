using System.Runtime.InteropServices;

namespace Spate.Measurement.Arithmetic;

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
