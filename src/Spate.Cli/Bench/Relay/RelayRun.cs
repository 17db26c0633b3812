using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Relay;

/// <summary>
/// Runs <c>spate bench relay</c>: a generator sends at a fixed rate, a relay sends everything on to a sink, and the
/// sink counts. The relays are compared by their CPU time. Blocks the calling thread until done.
/// </summary>
internal static class RelayRun
{
    public const string BaselineRowName = RelayTarget.BaselineName;

    /// <summary>In the order of the table.</summary>
    public static IReadOnlyList<string> RowNames => [.. RelayTarget.All.Select(static target => target.Name)];

    /// <summary>Cancelling ends the run between two rounds, each of which takes two seconds at most.</summary>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
    public static RelayReport Execute(
        RelayOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        CpuPlacement placement = CpuPlacement.Choose(options.GeneratorCpu, options.RelayCpu);
        IReadOnlyList<RelayTarget> targets = [.. RelayTarget.All.Where(target =>
            options.RowNames?.Contains(target.Name, StringComparer.Ordinal) ?? true)];
        var course = new BenchCourse(options.Budget, progress, cancellationToken);
        var round = new RelayRound(options, placement, cancellationToken);
        return new RelayEngine(options, placement, round.Run, course).Execute(targets);
    }
}
