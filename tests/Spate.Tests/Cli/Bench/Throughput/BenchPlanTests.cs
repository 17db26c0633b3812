using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Throughput;

public sealed class BenchPlanTests
{
    [Theory]
    [InlineData(9, 2, 60, 0)]
    [InlineData(9, 2, 15, 0)]
    [InlineData(9, 2, 60, 11)]
    [InlineData(9, 6, 60, 0)]
    [InlineData(1, 1, 15, 0)]
    [InlineData(4, 1, 2, 0)]
    public void Create_AnyShape_FitsTheBudget(int rowCount, int sizeCount, int budgetSeconds, int reservedSeconds)
    {
        var reserved = TimeSpan.FromSeconds(reservedSeconds);
        BenchPlan plan = BenchPlan.Create(rowCount, sizeCount, TimeSpan.FromSeconds(budgetSeconds), reserved);

        TimeSpan perCell = plan.WarmUpDuration + (plan.RoundDuration * plan.RoundCount)
            + (BenchPlan.RoundOverhead * (plan.RoundCount + 1));
        TimeSpan total = (perCell * rowCount * sizeCount) + reserved;
        Assert.InRange(total.TotalSeconds, 0.1, budgetSeconds);
        Assert.True(plan.RoundCount % 2 == 1, "an even number of rounds has no middle one");
        Assert.True(plan.RoundDuration > TimeSpan.Zero);
    }

    [Fact]
    public void Create_FullTable_HasSevenRoundsAndQuickOneThree()
    {
        Assert.Equal(7, BenchPlan.Create(9, 2, new ThroughputOptions().Budget, TimeSpan.Zero).RoundCount);
        Assert.Equal(3, BenchPlan.Create(9, 2, ThroughputBench.QuickBudget, TimeSpan.Zero).RoundCount);
    }

    [Fact]
    public void Create_TooMuchForTheTime_SaysWhatToDo()
    {
        var fault = Assert.Throws<BenchException>(
            () => BenchPlan.Create(9, 16, TimeSpan.FromSeconds(10), TimeSpan.Zero));
        Assert.Contains("fewer rows or sizes", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Create_NoRows_HasNoRounds() =>
        Assert.Equal(0, BenchPlan.Create(0, 2, ThroughputBench.QuickBudget, TimeSpan.Zero).RoundCount);
}
