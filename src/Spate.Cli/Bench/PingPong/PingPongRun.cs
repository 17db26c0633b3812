using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.PingPong;

/// <summary>
/// Runs <c>spate bench pingpong</c>: for every way of waiting, a client sends each ping after the answer to the one
/// before. Then it watches idle servers. Blocks the calling thread until done.
/// </summary>
internal static class PingPongRun
{
    /// <summary>In the order of the table.</summary>
    public static IReadOnlyList<string> Modes => [.. PingTargets.All.Select(static target => target.Mode)];

    /// <summary>Cancelling ends the run within a second.</summary>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
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
