using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Bench.Designs;

/// <summary>
/// Runs <c>spate bench designs</c>: all ways to divide a server's work among threads, with the same datagrams from the
/// same generator. Blocks the calling thread until done.
/// </summary>
internal static class DesignRun
{
    /// <summary>In the order of the table. Those of <see cref="WindowsDesign"/> come last.</summary>
    public static IReadOnlyList<string> RowNames => [.. DesignTarget.All.Select(static target => target.Name)];

    /// <summary>Cancelling ends the run between two steps, each of which takes seconds.</summary>
    /// <exception cref="BenchException">The options cannot be met, or no row could run.</exception>
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
