using Spate.Cli.Bench.Baselines;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Throughput.Peers;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Throughput;

/// <summary>
/// Runs <c>spate bench</c>, with both ends in this process. Blocks the calling thread until done. Nothing else should
/// run in the process meanwhile, since allocations are counted over all of it.
/// </summary>
internal static class BenchRun
{
    /// <summary>The row that all others are compared with: one <c>Socket.ReceiveFromAsync</c> per datagram.</summary>
    public const string BaselineRowName = SocketAsyncTarget.RowName;

    /// <summary>In the order of the table, without other programs.</summary>
    public static IReadOnlyList<string> RowNames => [.. BenchTargets.All.Select(target => target.Name)];

    /// <summary>Cancelling ends the run between two rounds, each of which takes a second at most.</summary>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
    public static BenchReport Execute(
        BenchOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchOptions.RequireRows(options.RowNames, RowNames);
        BenchLoopback.Require();
        CpuPlacement placement = CpuPlacement.Choose(options.SenderCpu, options.ReceiverCpu);
        var round = new BenchRound(placement, options.BufferBytes);
        var peerRunner = new PeerRunner(placement, options.BufferBytes);
        var course = new BenchCourse(options.Budget, progress, cancellationToken);
        var engine = new BenchEngine(options, placement, round.Run, peerRunner.Run, course);
        IReadOnlyList<PeerProgram> peers = options.WithPeerPrograms ? PeerPrograms.All : [];
        IReadOnlyList<BenchTarget> targets = [.. BenchTargets.All.Where(target =>
            options.RowNames?.Contains(target.Name, StringComparer.Ordinal) ?? true)];
        return engine.Execute(targets, peers);
    }
}
