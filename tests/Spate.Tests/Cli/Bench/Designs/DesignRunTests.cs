using Spate.Cli.Bench.Designs;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Designs;

public sealed class DesignRunTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("none", 0, 8, 5000, 100)]
    [InlineData("drain", -1, 8, 5000, 100)]
    [InlineData("drain", 0, 0, 5000, 100)]
    [InlineData("drain", 0, 257, 5000, 100)]
    [InlineData("drain", 0, 8, 4, 100)]
    [InlineData("drain", 0, 8, 5000, 7)]
    public void Execute_OptionsThatCannotBeMet_SaysSo(string name, int work, int threads, long count, int size)
    {
        var options = new DesignOptions
        {
            RowNames = [name],
            WorkRounds = [work],
            ThreadCounts = [threads],
            Count = count,
            SizeBytes = size,
        };

        Assert.Throws<BenchException>(() => DesignRun.Execute(options, cancellationToken: Cancellation));
    }
}
