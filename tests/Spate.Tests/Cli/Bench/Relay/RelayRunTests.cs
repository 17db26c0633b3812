using Spate.Cli.Bench.Relay;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Relay;

public sealed class RelayRunTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Execute_ImpossibleOptions_SaysWhat()
    {
        foreach ((RelayOptions options, string expected) in (IEnumerable<(RelayOptions, string)>)[
            (new RelayOptions { DatagramsPerSecond = 1 }, "cannot be relayed"),
            (new RelayOptions { DatagramsPerSecond = double.NaN }, "cannot be relayed"),
            (new RelayOptions { WithGso = false, WithoutGso = false }, "at least one"),
            (new RelayOptions { RowNames = ["nothing"] }, "There is no row nothing"),
            (new RelayOptions { SizeBytes = 4 }, "cannot be benched")])
        {
            BenchException fault = Assert.Throws<BenchException>(
                () => RelayRun.Execute(options, cancellationToken: Cancellation));
            Assert.Contains(expected, fault.Message, StringComparison.Ordinal);
        }
    }
}
