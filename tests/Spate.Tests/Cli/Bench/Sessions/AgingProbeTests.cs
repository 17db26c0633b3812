using Spate.Cli.Bench.Sessions;

namespace Spate.Tests.Cli.Bench.Sessions;

public sealed class AgingProbeTests
{
    [Fact]
    public void RunOnce_ThreeThousandPeers_MeasuresThePassesUntilAllHaveExpired()
    {
        AgingTimes repeat = AgingProbe.RunOnce(BenchPeers.Create(3000));

        // A pass covers 1,024 entries while nothing expires, and a ninth of that otherwise.
        Assert.InRange(repeat.Microseconds.Count, 3 + (3000 * 9 / 1024), 200);
        Assert.InRange(repeat.TableBytes, 3000 * 40, long.MaxValue);
    }
}
