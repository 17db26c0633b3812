namespace Spate.Measurement.Bench.Relay;

/// <summary>
/// The engine behind <c>spate bench relay</c>: a generator at a fixed rate, a relay that sends everything on to one
/// destination, and a sink that counts. What differs is the relay's CPU time. Blocks the calling thread until done.
/// </summary>
public static class RelayRun
{
    /// <summary>The row that the others are compared with.</summary>
    public const string BaselineRowName = RelayTarget.BaselineName;

    /// <summary>Names of the relays in the order of the table.</summary>
    public static IReadOnlyList<string> RowNames => [.. RelayTarget.All.Select(static target => target.Name)];

    /// <summary>Runs the bench within the budget of <paramref name="options"/>.</summary>
    /// <param name="options">Size, rate, time, CPUs.</param>
    /// <param name="progress">Told about every step before it starts; null when nobody watches.</param>
    /// <param name="cancellationToken">Ends the run between two rounds, of two seconds at most.</param>
    /// <exception cref="BenchException">Options that cannot be met, or no row could run at all.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static RelayReport Execute(
        RelayOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        CpuPlacement placement = CpuPlacement.Choose(options.GeneratorCpu, options.RelayCpu);
        IReadOnlyList<RelayTarget> targets = [.. RelayTarget.All.Where(target =>
            options.RowNames?.Contains(target.Name, StringComparer.Ordinal) ?? true)];
        return new RelayEngine(options, placement, progress, cancellationToken).Execute(targets);
    }
}
