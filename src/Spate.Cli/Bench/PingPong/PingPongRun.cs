using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.PingPong;

/// <summary>
/// Runs <c>spate bench pingpong</c>: for every way of waiting, a server echoes and a client, on another CPU, waits for
/// each answer before it sends the next ping. Then it measures what servers use while nothing is sent to them. Blocks
/// the calling thread until done.
/// </summary>
internal static class PingPongRun
{
    /// <summary>The modes in the order of the table.</summary>
    public static IReadOnlyList<string> Modes => [.. PingTargets.All.Select(static target => target.Mode)];

    /// <summary>Runs the bench within the budget of <paramref name="options"/>.</summary>
    /// <param name="options">Size, counts, CPUs, time.</param>
    /// <param name="progress">Receives each step before the step starts; null for no progress.</param>
    /// <param name="cancellationToken">Ends the run within a second.</param>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static PingPongReport Execute(
        PingPongOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        CpuPlacement placement = CpuPlacement.Choose(options.ClientCpu, options.ServerCpu);
        var course = new BenchCourse(options.Budget, progress, cancellationToken);
        var round = new PingRound(placement, options.SizeBytes, cancellationToken);
        return new PingPongEngine(
            options, placement, round.Run, duration => IdleServers.Measure(duration, course), course)
            .Execute(PingTargets.All);
    }
}
