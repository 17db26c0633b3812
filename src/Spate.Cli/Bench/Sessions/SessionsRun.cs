using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Sessions;

/// <summary>
/// Runs <c>spate bench sessions</c>: one thread drains a filled socket and finds a session for each datagram. All come
/// from one peer over loopback, so a prepared sequence names the peers. Blocks the calling thread until done.
/// </summary>
internal static class SessionsRun
{
    /// <summary>Cancelling ends the run between two steps, each of which takes milliseconds.</summary>
    /// <exception cref="BenchException">The options cannot be met, or datagrams were lost.</exception>
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
