using Spate.Gateway.Reading;

namespace Spate.Tests.Gateway.Reading;

public sealed class IntervalSetTests
{
    [Fact]
    public void Add_RandomRanges_AgreesWithASetOfNumbers()
    {
        Random random = RandomCase.Create();
        for (int round = 0; round < 200; round++)
        {
            var set = new IntervalSet(new IntervalBudget(1000));
            var model = new HashSet<ulong>();
            for (int step = 0; step < 60; step++)
            {
                ulong first = (ulong)random.Next(200);
                ulong count = (ulong)random.Next(12);
                Assert.Equal((ulong)Numbers(first, count).Count(model.Add), set.Add(first, count));
            }

            ulong from = (ulong)random.Next(220);
            ulong end = from + (ulong)random.Next(220);
            ulong[] inside = [.. Numbers(from, end - from).Where(model.Contains)];
            Assert.Equal((ulong)inside.Length, set.CountIn(from, end));
            Assert.Equal(model.Contains(from), set.Contains(from));
            Assert.Equal(
                Numbers(from, end - from).Except(inside),
                set.Gaps(from, end).SelectMany(gap => Numbers(gap.First, gap.Count)));
            Assert.Equal(0UL, set.Forgotten);
        }
    }

    [Fact]
    public void Add_MoreIntervalsThanAllowed_ForgetsTheLowestGapAndCountsIt()
    {
        var set = new IntervalSet(new IntervalBudget(1000), maxCount: 3);
        foreach (ulong first in (ulong[])[0, 10, 20, 35]) Assert.Equal(1UL, set.Add(first, 1));

        Assert.Equal(9UL, set.Forgotten);
        Assert.Equal(3, set.IntervalCount);
        Assert.True(set.Contains(5));
        Assert.Equal(new[] { (11UL, 9UL), (21UL, 14UL) }, set.Gaps(0, 36));
    }

    [Fact]
    public void Add_BudgetTakenByOthers_KeepsTwoIntervalsAndGivesBack()
    {
        var budget = new IntervalBudget(1);
        var first = new IntervalSet(budget);
        var second = new IntervalSet(budget);
        foreach (ulong at in (ulong[])[0, 10, 20]) _ = first.Add(at, 1);
        foreach (ulong at in (ulong[])[0, 10, 20]) _ = second.Add(at, 1);

        Assert.Equal(0, budget.Left);
        Assert.Equal((0UL, 9UL), (first.Forgotten, second.Forgotten));

        Assert.Equal(18UL, first.Add(0, 20));
        Assert.Equal(1, budget.Left);
        Assert.Equal(1, first.IntervalCount);
    }

    private static IEnumerable<ulong> Numbers(ulong first, ulong count)
    {
        for (ulong i = 0; i < count; i++) yield return first + i;
    }
}
