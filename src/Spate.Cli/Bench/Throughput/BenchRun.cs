using Spate.Cli.Bench.Baselines;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Throughput.Peers;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Throughput;

/// <summary>
/// Runs <c>spate bench</c>: every row at every size in interleaved rounds, with both ends in this process over the
/// loopback interface. Blocks the calling thread until done. Only one bench may run in a process, and nothing else
/// should run in it meanwhile, since allocations are counted over the whole process.
/// </summary>
/// <remarks>
/// If there are two CPUs, the sender's thread is pinned to one and the receiver's, if one thread receives, to the
/// other. The system places pool and library threads, as in any program. A round opens both sockets, sends one burst
/// that is not counted, collects garbage, sends for its time, and lets the receiver take what is in flight. The first
/// round of every row is a warm-up and is not counted.
/// </remarks>
internal static class BenchRun
{
    /// <summary>The row that all others are compared with: one <c>Socket.ReceiveFromAsync</c> per datagram.</summary>
    public const string BaselineRowName = SocketAsyncTarget.RowName;

    /// <summary>Names of the rows in the order of the table, without other programs.</summary>
    public static IReadOnlyList<string> RowNames => [.. BenchTargets.All.Select(target => target.Name)];

    /// <summary>Runs the bench within the budget of <paramref name="options"/>.</summary>
    /// <param name="options">Sizes, rows, time.</param>
    /// <param name="progress">Receives each step before the step starts; null for no progress.</param>
    /// <param name="cancellationToken">Ends the run between two rounds, each of which takes a second at most.</param>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
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
