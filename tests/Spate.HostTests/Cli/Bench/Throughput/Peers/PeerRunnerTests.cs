using Spate.Cli.Bench;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Bench.Throughput.Peers;

namespace Spate.HostTests.Cli.Bench.Throughput.Peers;

/// <summary>
/// The real programs, in the host's network: .NET tells the listeners of the network in which the process began, not
/// of that of a thread, so the runner would not see a server in a namespace of the test. The runner finds free ports.
/// </summary>
[QuietHost("programs load the CPUs by all that they can send")]
public sealed class PeerRunnerTests
{
    [Fact]
    public async Task Run_EveryInstalledProgram_GivesARow()
    {
        PeerProgram[] installed = [.. PeerProgram.All.Where(static peer => peer.UnavailableReason is null)];
        Assert.SkipWhen(installed.Length == 0, PeerProgram.All[0].UnavailableReason ?? "");

        // Each takes whole seconds, so all of them run at once; how fast they are is not judged.
        BenchRow[] rows = await Task.WhenAll(installed.Select(peer => Task.Factory.StartNew(
            () => new PeerRunner(CpuPlacement.Choose(null, null), 4 << 20).Run(peer, 1380),
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default)));

        Assert.Equal(
            installed.Select(static peer => peer.Name), rows.Select(static row => row.Name), StringComparer.Ordinal);
        Assert.All(rows, static row => Assert.True(row.DatagramsPerSecond > 0, row.Name));
        Assert.All(rows, static row => Assert.InRange(row.LostPercent, 0, 100));
    }
}
