namespace Spate.Measurement.Bench.PingPong;

/// <summary>
/// The engine behind <c>spate bench pingpong</c>: a server that echoes and a client that waits for each answer before
/// it asks again, on CPUs of their own, in every way of waiting; and what servers use while nobody sends. Blocks the
/// calling thread until done.
/// </summary>
public static class PingPongRun
{
    /// <summary>The modes in the order of the table.</summary>
    public static IReadOnlyList<string> Modes => [.. PingTargets.All.Select(static target => target.Mode)];

    /// <summary>Runs the bench within the budget of <paramref name="options"/>.</summary>
    /// <param name="options">Size, counts, CPUs.</param>
    /// <param name="progress">Told about every step before it starts; null when nobody watches.</param>
    /// <param name="cancellationToken">Ends the run within a second.</param>
    /// <exception cref="BenchException">Options that cannot be met, or no row could run at all.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static PingPongReport Execute(
        PingPongOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        CpuPlacement placement = CpuPlacement.Choose(options.ClientCpu, options.ServerCpu);
        return new PingPongEngine(options, placement, progress, cancellationToken).Execute(PingTargets.All);
    }
}
