using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Drain;

/// <summary>
/// Runs <c>spate bench drain</c>: one thread fills a socket's queue and then drains it. Nothing else runs at the same
/// time, so the figures vary little. Blocks the calling thread until done.
/// </summary>
internal static class DrainRun
{
    /// <summary>In the order of the table.</summary>
    public static IReadOnlyList<string> RowNames => [.. DrainTargets.All.Select(target => target.Name)];

    /// <summary>Cancelling ends the run between two steps, each of which takes milliseconds.</summary>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
    public static DrainReport Execute(
        DrainOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        int? cpu = CpuPlacement.Choose(senderCpu: null, options.Cpu).ReceiverCpu;
        return BenchThread.Execute(
            "drain",
            cpu,
            options.Budget + TimeSpan.FromSeconds(30),
            () => new DrainEngine(options, cpu, new BenchCourse(options.Budget, progress, cancellationToken))
                .Execute(DrainTargets.All));
    }
}
