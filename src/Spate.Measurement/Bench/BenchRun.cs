using Spate.Measurement.Bench.Baselines;
using Spate.Measurement.Bench.Peers;

namespace Spate.Measurement.Bench;

/// <summary>
/// The engine behind <c>spate bench</c>: both ends in this process over the loopback interface, every row at every
/// size in interleaved rounds, then medians. Blocks the calling thread until done; one run at a time in a process, and
/// nothing else should run in it meanwhile, since allocations are counted over the whole process.
/// </summary>
/// <remarks>
/// The sender's thread, and the receiver's where one thread receives, are pinned to CPUs of their own where there are
/// two; pool and library threads go where the system puts them, as they do in any program. A round opens both sockets,
/// proves the way with one uncounted burst, collects garbage, sends for its time, and lets the receiver drain what is
/// in flight. The first round of every row is a warm-up and is not counted.
/// </remarks>
public static class BenchRun
{
    /// <summary>The row that all others are compared with: one <c>Socket.ReceiveFromAsync</c> per datagram.</summary>
    public const string BaselineRowName = SocketAsyncTarget.RowName;

    /// <summary>Names of the rows in the order of the table; other programs not included.</summary>
    public static IReadOnlyList<string> RowNames => [.. BenchTargets.All.Select(target => target.Name)];

    /// <summary>Runs the bench within the budget of <paramref name="options"/>.</summary>
    /// <param name="options">Sizes, rows, time.</param>
    /// <param name="progress">Told about every step before it starts; null when nobody watches.</param>
    /// <param name="cancellationToken">Ends the run between two rounds (a round takes a second at most).</param>
    /// <exception cref="BenchException">Options that cannot be met, or no row could run at all.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static BenchReport Execute(
        BenchOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        CpuPlacement placement = CpuPlacement.Choose(options.SenderCpu, options.ReceiverCpu);
        var round = new BenchRound(placement, options.BufferBytes);
        var peerRunner = new PeerRunner(placement, options.BufferBytes);
        var engine = new BenchEngine(options, placement, round.Run, peerRunner.Run, cancellationToken);
        IReadOnlyList<PeerProgram> peers = options.WithPeerPrograms ? PeerPrograms.All : [];
        return engine.Execute(Select(options.RowNames), peers, progress);
    }

    private static List<BenchTarget> Select(IReadOnlyList<string>? names)
    {
        if (names is null) return [.. BenchTargets.All];
        foreach (string name in names)
        {
            if (!RowNames.Contains(name, StringComparer.Ordinal))
            {
                throw new BenchException(
                    $"There is no row {BenchText.OneLine(name)}; rows are {string.Join(", ", RowNames)}.");
            }
        }
        return [.. BenchTargets.All.Where(target => names.Contains(target.Name, StringComparer.Ordinal))];
    }
}
