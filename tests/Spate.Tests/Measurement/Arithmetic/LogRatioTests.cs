using Spate.Measurement.Arithmetic;

namespace Spate.Tests.Measurement.Arithmetic;

public sealed class LogRatioTests
{
    private const int SeedCount = 1000;

    [Fact]
    public void Of_ThreeValuesASide_IsWelchsIntervalOfTheLogarithms()
    {
        // The logarithms are 0, 1 and 2 times ln 2, and one more each: variance (ln 2)^2 on both sides, 4 degrees of
        // freedom, whose t is 2.776445 (0.975) and 0.940965 (0.8) in any table.
        var ratio = LogRatio.Of([1, 2, 4], [2, 4, 8]);
        double error = Math.Log(2) * Math.Sqrt(2.0 / 3);

        Assert.Equal(2, ratio.Ratio, precision: 9);
        Assert.Equal(2 * Math.Exp(-2.776445 * error), ratio.Low, precision: 5);
        Assert.Equal(2 * Math.Exp(2.776445 * error), ratio.High, precision: 5);
        Assert.Equal(100 * (Math.Exp((2.776445 + 0.940965) * error) - 1), ratio.DetectablePercent, precision: 2);
        Assert.False(ratio.IsShown);
    }

    [Fact]
    public void Of_SidesOfDifferentSpread_HasWelchsFreedom()
    {
        // Logarithms 0, 1, 2 and 0, 4, 8 times ln 2: with variances 1 and 16 over 3 each, the degrees of freedom are
        // (1 + 16)^2 / ((1 + 256) / 2) = 2.249, whose 0.975 quantile lies between those of 2 (4.3027) and 3 (3.1824).
        var ratio = LogRatio.Of([1, 2, 4], [1, 16, 256]);
        double error = Math.Log(2) * Math.Sqrt(17.0 / 3);
        double quantile = (Math.Log(ratio.High) - Math.Log(ratio.Ratio)) / error;

        Assert.InRange(quantile, 3.1824, 4.3027);
        Assert.Equal(8, ratio.Ratio, precision: 9);
    }

    [Fact]
    public void Of_EqualValues_HasAnIntervalWithoutWidth()
    {
        var same = LogRatio.Of([3, 3], [3, 3]);
        var other = LogRatio.Of([3, 3], [6, 6]);

        Assert.False(same.IsShown);
        Assert.True(other.IsShown);
        Assert.Equal((2.0, 2.0), (Math.Round(other.Low, 12), Math.Round(other.High, 12)));
    }

    [Theory]
    [InlineData(5, 0.01)]
    [InlineData(5, 0.10)]
    [InlineData(9, 0.05)]
    [InlineData(30, 0.02)]
    public void Of_SamplesOfOneSource_ShowADifferenceInFiveOfAHundredAtMost(int count, double spread)
    {
        int shown = Enumerable.Range(1, SeedCount).Count(seed =>
        {
            var random = new Random(seed);
            return LogRatio.Of(Draw(random, count, 1, spread), Draw(random, count, 1, spread)).IsShown;
        });

        TestContext.Current.TestOutputHelper?.WriteLine($"seeds 1 to {SeedCount}: {shown} false verdicts");

        // 5 % are promised; of 1000 samples, chance alone gives up to 64 in 49 of 50 such tests.
        Assert.InRange(shown, 0, 64);
    }

    [Theory]
    [InlineData(5, 0.02)]
    [InlineData(9, 0.05)]
    public void Of_DifferenceThatIsStatedAsDetectable_IsShownInFourOfFive(int count, double spread)
    {
        int shown = 0;
        double detectable = Enumerable.Range(1, SeedCount).Average(seed =>
        {
            var random = new Random(seed);
            return LogRatio.Of(Draw(random, count, 1, spread), Draw(random, count, 1, spread)).DetectablePercent;
        });
        for (int seed = 1; seed <= SeedCount; seed++)
        {
            var random = new Random(seed);
            double[] first = Draw(random, count, 1, spread);
            double[] second = Draw(random, count, 1 + (detectable / 100), spread);
            if (LogRatio.Of(first, second).IsShown) shown++;
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{detectable:0.0} % is shown in {shown} of {SeedCount}");
        Assert.InRange(shown, 740, 880);
    }

    [Fact]
    public void Of_TooFewOrNotPositive_Throws()
    {
        Assert.Throws<ArgumentException>(() => LogRatio.Of([1], [1, 2]));
        Assert.Throws<ArgumentException>(() => LogRatio.Of([1, 2], [0, 1]));
        Assert.Throws<ArgumentException>(() => LogRatio.Of([1, double.NaN], [1, 2]));
    }

    // Rounds vary by a share of their value. The sum of twelve equal chances is as good as normal (Irwin-Hall).
    internal static double[] Draw(Random random, int count, double middle, double spread) =>
        [.. Enumerable.Range(0, count).Select(_ =>
            middle * Math.Exp(spread * (Enumerable.Range(0, 12).Sum(_ => random.NextDouble()) - 6)))];
}
