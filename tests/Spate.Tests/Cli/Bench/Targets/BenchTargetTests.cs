using Spate.Cli.Bench;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Bench.Throughput;

namespace Spate.Tests.Cli.Bench.Targets;

[QuietHost("it sends all that the CPUs can, and others would lose datagrams")]
public sealed class BenchTargetTests
{
    [Fact]
    public void Run_EveryRow_GivesSaneFiguresOrSaysWhyNot()
    {
        var round = new BenchRound(CpuPlacement.Choose(null, null), BenchOptions.DefaultBufferBytes);
        foreach (BenchTarget target in ThroughputBench.Targets)
        {
            if (target.UnavailableReason is { } reason)
            {
                Assert.Contains("not available", reason, StringComparison.Ordinal);
                continue;
            }

            // A busy machine may not run the receiver at all in the short time.
            RoundMeasurement measurement = round.Run(target, 1380, TimeSpan.FromMilliseconds(10));
            if (measurement.ReceivedWhileSending == 0) measurement = round.Run(target, 1380, TimeSpan.FromSeconds(2));

            AssertSane(BenchRow.Of(target.Name, 1380, [measurement]), target);
            Assert.True(measurement.BufferGrantedBytes > 0, target.Name);
        }
    }

    private static void AssertSane(BenchRow row, BenchTarget target)
    {
        Assert.True(row.DatagramsPerSecond > 0, row.Name);
        Assert.True(row.BitsPerSecond > 0, row.Name);
        Assert.InRange(row.LostPercent, 0, 100);
        Assert.True(row.DatagramsPerCall >= 1, row.Name);
        Assert.True(row.AllocatedBytesPerDatagram >= 0, row.Name);
        if (OperatingSystem.IsLinux())
        {
            Assert.True(row.SendNanosecondsPerDatagram > 0, row.Name);

            // The process's time less the sender's, by two clocks: of a few milliseconds nothing may be left.
            double least = target.ReceivesElsewhere ? 0 : double.Epsilon;
            Assert.True(row.ReceiveNanosecondsPerDatagram >= least, row.Name);
        }
    }
}
