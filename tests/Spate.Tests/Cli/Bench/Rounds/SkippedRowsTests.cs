using Spate.Cli.Bench.Rounds;

namespace Spate.Tests.Cli.Bench.Rounds;

public sealed class SkippedRowsTests
{
    [Fact]
    public void NothingRan_OneReasonOfManyRows_IsSaidOnce()
    {
        var skipped = new SkippedRows();
        skipped.Add("a", "it broke");
        skipped.Add("b", "it broke");
        Assert.False(skipped.IsAvailable("c", "it broke"));
        Assert.True(skipped.IsAvailable("d", unavailableReason: null));

        Assert.Equal("No row could run: it broke", skipped.NothingRan().Message);
    }

    [Fact]
    public void Add_SameRowTwice_CountsOnce()
    {
        var skipped = new SkippedRows();
        skipped.Add("a", "it broke");
        skipped.Add("a", "it broke");

        Assert.Equal([new BenchSkippedRow("a", "it broke")], skipped.All);
    }

    [Fact]
    public void Join_ReasonsThatDifferInNumbers_AreSaidOnce() => Assert.Equal(
        [
            new BenchSkippedRow("a, b", "8 more files are needed (numbers of the first)"),
            new BenchSkippedRow("c", "it broke"),
        ],
        BenchSkippedRow.Join(
            [new("a", "8 more files are needed"), new("c", "it broke"), new("b", "16 more files are needed")]));
}
