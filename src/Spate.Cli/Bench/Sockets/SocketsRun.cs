using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Sockets;

/// <summary>Runs <c>spate bench sockets</c>. Blocks the calling thread until done.</summary>
internal static class SocketsRun
{
    /// <summary>Cancelling ends the run between two steps, each of which takes milliseconds.</summary>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
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
