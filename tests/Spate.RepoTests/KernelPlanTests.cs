using Spate.Build.Tests;
using TestResult = Spate.Build.Tests.TestResult;

namespace Spate.RepoTests;

/// <summary>What runs in the machines of <c>./test.sh --kernels</c>, and which skips count as failures there.</summary>
public sealed class KernelPlanTests
{
    [Theory]
    [InlineData("5.10", "uring: multishot receive needs Linux 6.0", TestOutcome.Skipped)]
    [InlineData("6.1", "uring: multishot receive needs Linux 6.0", TestOutcome.Failed)]
    [InlineData("6.12", "this kernel has no dummy", TestOutcome.Failed)]
    [InlineData("6.12", "SPATE_LONG=1: it takes long", TestOutcome.Skipped)]
    internal void Judge_Skipped_FailsUnlessTheKernelLacksWhatItNeeds(
        string kernel, string reason, TestOutcome expected)
    {
        TestResult judged = KernelPlan.Judge(kernel, new("A.B", "A.B", TestOutcome.Skipped, reason, 0));

        Assert.Equal(expected, judged.Outcome);
        Assert.EndsWith(reason, judged.Message, StringComparison.Ordinal);
    }

    /// <summary>A line that names no kernel or no test leaves nothing out, and nobody would see it.</summary>
    [Fact]
    public void LeftOut_EachLine_NamesAKernelAndATestOfTheTree()
    {
        string[] kernels = ["all", .. Rows("kernels.txt").Select(static words => words[0])];
        string[][] rows = [.. Rows("left-out.txt")];

        Assert.NotEmpty(rows);
        Assert.All(rows, words =>
        {
            Assert.Contains(words[0], kernels);
            string[] parts = words[1].Split('.');
            string sign = parts[^1] is "*" ? $"class {parts[^2]}" : $" {parts[^1]}(";
            Assert.Contains(Repository.CSharp, file => file.Text.Contains(sign, StringComparison.Ordinal));
        });
    }

    private static IEnumerable<string[]> Rows(string file) => File
        .ReadLines(Path.Combine(Repository.Top, "tests", "Kernels", file))
        .Where(static line => line.Length > 0 && line[0] != '#')
        .Select(static line => line.Split(' ', 3, StringSplitOptions.RemoveEmptyEntries));
}
