using System.Runtime.InteropServices;
using MathNet.Numerics.Distributions;
using MathNet.Numerics.Statistics;

namespace Spate.Measurement.Arithmetic;

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
