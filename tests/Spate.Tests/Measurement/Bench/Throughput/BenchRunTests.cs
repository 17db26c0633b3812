using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Throughput;

namespace Spate.Tests.Measurement.Bench.Throughput;

[QuietHost("it loads the CPUs, and others would be measured")]
public sealed class BenchRunTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Execute_TwoBaselineRowsOverLoopback_GivesSaneFigures()
    {
        BenchReport result = BenchRun.Execute(new BenchOptions
        {
            SizesBytes = [64],
            Budget = TimeSpan.FromSeconds(1),
            RowNames = ["socket-async", "socket-blocking"],
        }, cancellationToken: Cancellation);

        Assert.Empty(result.Skipped);
        Assert.Equal("socket-async socket-blocking", string.Join(' ', result.Rows.Select(row => row.Name)));
        Assert.All(result.Rows, AssertSane);
        Assert.Equal(1, result.TimesBaseline(result.Rows[0]));
        Assert.True(result.BufferGrantedBytes > 0);
    }

    [Fact]
    public void Execute_EveryRow_RunsOrSaysWhyNot()
    {
        BenchReport result = BenchRun.Execute(new BenchOptions
        {
            SizesBytes = [1380],
            Budget = TimeSpan.FromSeconds(4),
        }, cancellationToken: Cancellation);

        Assert.Equal(
            BenchRun.RowNames.Order(StringComparer.Ordinal),
            result.Rows.Select(row => row.Name).Concat(result.Skipped.Select(row => row.Name))
                .Order(StringComparer.Ordinal));
        Assert.All(result.Rows, AssertSane);
        Assert.All(result.Skipped, row => Assert.Contains("not available", row.Reason, StringComparison.Ordinal));
    }

    private static void AssertSane(BenchRow row)
    {
        Assert.True(row.DatagramsPerSecond > 0, row.Name);
        Assert.True(row.BitsPerSecond > 0, row.Name);
        Assert.InRange(row.LostPercent, 0, 100);
        Assert.True(row.DatagramsPerCall >= 1, row.Name);
        Assert.True(row.AllocatedBytesPerDatagram >= 0, row.Name);
        if (OperatingSystem.IsLinux())
        {
            Assert.True(row.SendNanosecondsPerDatagram > 0, row.Name);
            Assert.True(row.ReceiveNanosecondsPerDatagram > 0, row.Name);
        }
    }
}
