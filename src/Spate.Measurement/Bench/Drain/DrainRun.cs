
namespace Spate.Measurement.Bench.Drain;

/// <summary>
/// The engine behind <c>spate bench drain</c>: fills a socket's queue, then times how long one thread takes to drain
/// it, per datagram, and how long the filling took. Nothing runs at the same time, so noise is low. Blocks the calling
/// thread until done.
/// </summary>
public static class DrainRun
{
    /// <summary>Names of the rows in the order of the table.</summary>
    public static IReadOnlyList<string> RowNames => [.. DrainTargets.All.Select(target => target.Name)];

    /// <summary>Runs the drain bench within the budget of <paramref name="options"/>.</summary>
    /// <param name="options">Sizes, rounds, time.</param>
    /// <param name="progress">Told about every step before it starts; null when nobody watches.</param>
    /// <param name="cancellationToken">Ends the run between two steps, each of which takes milliseconds.</param>
    /// <exception cref="BenchException">Options that cannot be met, or no row could run at all.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static DrainReport Execute(
        DrainOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        int? cpu = CpuPlacement.Choose(senderCpu: null, options.Cpu).ReceiverCpu;
        return BenchThread.Execute(
            "drain",
            cpu,
            options.Budget + TimeSpan.FromSeconds(30),
            () => new DrainEngine(options, cpu, cancellationToken).Execute(DrainTargets.All, progress));
    }
}
