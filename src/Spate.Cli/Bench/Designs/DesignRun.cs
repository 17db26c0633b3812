using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Bench.Designs;

/// <summary>
/// Runs <c>spate bench designs</c>: measures every way to divide a server's work among threads, with the same
/// generator, number and size of datagrams, over the loopback interface. Blocks the calling thread until done.
/// </summary>
internal static class DesignRun
{
    /// <summary>
    /// Names of the rows in the order of the table. Those of <see cref="WindowsDesign"/> come last.
    /// </summary>
    public static IReadOnlyList<string> RowNames => [.. DesignTarget.All.Select(static target => target.Name)];

    /// <summary>Runs the comparison within the budget of <paramref name="options"/>.</summary>
    /// <param name="options">Rows, work, count, threads, time.</param>
    /// <param name="progress">Receives each step before the step starts; null for no progress.</param>
    /// <param name="cancellationToken">Ends the run between two steps, each of which takes seconds.</param>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static DesignsReport Execute(
        DesignOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        BenchLoopback.Require();
        int? generatorCpu = CpuPlacement.Choose(options.GeneratorCpu, receiverCpu: null).SenderCpu;
        DesignTarget[] targets = [.. DesignTarget.All.Where(target =>
            options.RowNames?.Contains(target.Name, StringComparer.Ordinal) ?? target.IsDefault)];
        var course = new BenchCourse(options.Budget, progress, cancellationToken);
        double nanosecondsPerWorkRound = WorkLoad.MeasureNanosecondsPerRound();
        return new DesignEngine(options, generatorCpu, nanosecondsPerWorkRound, RunRound, course).Execute(targets);

        DesignMeasurement RunRound(DesignCell cell, long count, TimeSpan sending) =>
            new DesignRound(options, cell.Target, cell.ThreadCount, cell.WorkRounds, cancellationToken)
                .Measure(count, sending, generatorCpu);
    }
}
