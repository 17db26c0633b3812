using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Sockets;

/// <summary>
/// Runs <c>spate bench sockets</c>: queues datagrams in many sockets, and measures the time per datagram in which one
/// thread receives all of them. Blocks the calling thread until done.
/// </summary>
internal static class SocketsRun
{
    /// <summary>Runs the sockets bench within the budget of <paramref name="options"/>.</summary>
    /// <param name="options">Numbers, rounds, time.</param>
    /// <param name="progress">Receives each step before the step starts; null for no progress.</param>
    /// <param name="cancellationToken">Ends the run between two steps, each of which takes milliseconds.</param>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static SocketsReport Execute(
        SocketsOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        int? cpu = CpuPlacement.Choose(senderCpu: null, options.Cpu).ReceiverCpu;
        return BenchThread.Execute(
            "sockets",
            cpu,
            options.Budget + TimeSpan.FromSeconds(60),
            () =>
            {
                var course = new BenchCourse(options.Budget, progress, cancellationToken);
                return new SocketsEngine(
                    options, cpu, (count, until) => new FilledSockets(count, until, course), course).Execute();
            });
    }
}
