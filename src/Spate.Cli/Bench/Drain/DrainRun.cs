using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Drain;

/// <summary>
/// Runs <c>spate bench drain</c>: one thread fills a socket's queue and then drains it, and the time per datagram of
/// both is measured. Nothing else runs at the same time, so the figures vary little. Blocks the calling thread until
/// done.
/// </summary>
internal static class DrainRun
{
    /// <summary>Names of the rows in the order of the table.</summary>
    public static IReadOnlyList<string> RowNames => [.. DrainTargets.All.Select(target => target.Name)];

    /// <summary>Runs the drain bench within the budget of <paramref name="options"/>.</summary>
    /// <param name="options">Sizes, rounds, time.</param>
    /// <param name="progress">Receives each step before the step starts; null for no progress.</param>
    /// <param name="cancellationToken">Ends the run between two steps, each of which takes milliseconds.</param>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
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
