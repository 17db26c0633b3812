using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Sessions;

/// <summary>
/// Runs <c>spate bench sessions</c>: fills a socket's queue, and measures the time in which one thread drains it and
/// finds a session for each datagram. All datagrams over loopback come from one peer, so a prepared sequence names the
/// peers instead. Blocks the calling thread until done.
/// </summary>
internal static class SessionsRun
{
    /// <summary>Runs the bench within the budget of <paramref name="options"/>, filling and ageing included.</summary>
    /// <param name="options">Peers, sizes, rounds, time.</param>
    /// <param name="progress">Receives each step before the step starts; null for no progress.</param>
    /// <param name="cancellationToken">Ends the run between two steps, each of which takes milliseconds.</param>
    /// <exception cref="BenchException">The options cannot be met, or datagrams were lost.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static SessionsReport Execute(
        SessionsOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        int? cpu = CpuPlacement.Choose(senderCpu: null, options.Cpu).ReceiverCpu;
        return BenchThread.Execute(
            "sessions",
            cpu,
            options.Budget + TimeSpan.FromSeconds(120),
            () => new SessionsEngine(
                options,
                cpu,
                static (row, sizeBytes, wantedCount) => new SessionsSocket(row, sizeBytes, wantedCount),
                static peerCount => new PeerSet(peerCount),
                AgingProbe.RunOnce,
                new BenchCourse(options.Budget, progress, cancellationToken)).Execute());
    }
}
