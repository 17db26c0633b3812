using System.Numerics;
using Spate.Measurement.Arithmetic;

namespace Spate.Tests.Measurement.Arithmetic;

public sealed class RankSumTests
{
    private const int SeedCount = 1000;

    [Fact]
    public void Of_SeparateSamples_IsTheChanceOfTwoOfAllWays()
    {
        // Of the 20 ways to choose 3 of 6 ranks, the lowest three and the highest three are as far apart.
        var ranks = RankSum.Of([1, 2, 3], [4, 5, 6]);

        Assert.Equal(0.1, ranks.Chance, precision: 12);
        Assert.True(ranks.Shift > 0);
        Assert.False(ranks.IsShown);
        Assert.True(RankSum.Of([4, 5, 6], [1, 2, 3]).Shift < 0);
        Assert.True(RankSum.Of([1, 2, 3, 4], [5, 6, 7, 8]).IsShown);
    }

    [Fact]
    public void Of_EqualValues_AreCertainlyChance() =>
        Assert.Equal(new RankSum(0, 1), RankSum.Of([0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]));

    [Fact]
    public void Of_SmallSamplesWithEqualValues_CountsEveryWay()
    {
        for (int seed = 1; seed <= 200; seed++)
        {
            var random = new Random(seed);
            double[] all = [.. Enumerable.Range(0, random.Next(2, 11)).Select(_ => (double)random.Next(4))];
            int border = random.Next(1, all.Length);

            double expected = ChanceByChoices(all, border);

            double chance = RankSum.Of(all[..border], all[border..]).Chance;
            Assert.True(Math.Abs(expected - chance) < 1e-12, $"seed {seed}: {chance}, expected {expected}");
        }
    }

    [Fact]
    public void Of_AsManyValuesAsThereMayBe_KeepsItsPrecision()
    {
        double[] low = [.. Enumerable.Range(0, 60).Select(static value => (double)value)];
        double[] high = [.. low.Select(static value => value + 60)];

        double chance = RankSum.Of(low, high).Chance;

        // C(120, 60) = 9.6614908840363322e34.
        Assert.Equal(1, chance * 9.6614908840363322e34 / 2, precision: 9);
    }

    [Theory]
    [InlineData(5, 5, 0.5)]
    [InlineData(5, 30, 0.9)]
    [InlineData(20, 20, 0.8)]
    public void Of_SamplesOfOneSourceWithZeros_ShowADifferenceInFiveOfAHundredAtMost(
        int first, int second, double zeros)
    {
        int shown = CountShown(random => RankSum.Of(Draw(random, first, zeros), Draw(random, second, zeros)));

        TestContext.Current.TestOutputHelper?.WriteLine($"seeds 1 to {SeedCount}: {shown} false verdicts");
        Assert.InRange(shown, 0, SeedCount / 20);
    }

    [Theory]
    [InlineData(5, 0.1, 870, 960)] // 0.9^5 + 5 * 0.9^4 * 0.1 = 0.92: four of five are enough
    [InlineData(5, 0.5, 140, 240)] // 0.19
    [InlineData(10, 0.5, 560, 690)] // five of ten are enough: 0.62
    public void Of_LossOnOneSideOnly_IsShownAsOftenAsStated(int count, double zeros, int least, int most)
    {
        int shown = CountShown(random => RankSum.Of(new double[count], Draw(random, count, zeros)));

        TestContext.Current.TestOutputHelper?.WriteLine($"shown in {shown} of {SeedCount}");
        Assert.InRange(shown, least, most);
    }

    [Fact]
    public void Of_NoneOrTooManyValues_Throws()
    {
        Assert.Throws<ArgumentException>(() => RankSum.Of([], [1]));
        Assert.Throws<ArgumentException>(() => RankSum.Of([1], []));
        Assert.Throws<ArgumentException>(() => RankSum.Of(new double[60], new double[61]));
    }

    private static int CountShown(Func<Random, RankSum> compare) =>
        Enumerable.Range(1, SeedCount).Count(seed => compare(new Random(seed)).IsShown);

    private static double[] Draw(Random random, int count, double zeros) =>
        [.. Enumerable.Range(0, count).Select(_ => random.NextDouble() < zeros ? 0 : random.NextDouble())];

    // The definition: all choices of as many values, and the distance of their mean rank from the mean of all.
    private static double ChanceByChoices(double[] all, int border)
    {
        double[] ranks =
        [
            .. all.Select(value =>
                all.Count(other => other < value) + ((all.Count(other => other == value) + 1) / 2.0)),
        ];
        double mean = (all.Length - border) * ranks.Average();
        double seen = Math.Abs(ranks[border..].Sum() - mean);
        uint[] choices = [.. Enumerable.Range(0, 1 << all.Length).Select(static bits => (uint)bits)
            .Where(bits => BitOperations.PopCount(bits) == all.Length - border)];
        return choices.Count(IsAsFar) / (double)choices.Length;

        bool IsAsFar(uint bits) =>
            Math.Abs(ranks.Where((_, index) => (bits >> index & 1) == 1).Sum() - mean) >= seen - 1e-9;
    }
}
