using Spate.Cli.Bench.Rounds;

namespace Spate.Cli.Bench.Designs;

/// <summary>One design with one amount of work and one number of threads, and its rounds so far.</summary>
internal sealed class DesignCell(DesignTarget target, int threadCount, int workRounds, DesignOptions options)
    : BenchCell<DesignMeasurement>(
        target.Name + (options.ThreadCounts.Count == 1 ? "" : $" on {threadCount} threads")
            + (workRounds == 0 ? "" : $" with work {workRounds}"),
        options.SizeBytes)
{
    public DesignTarget Target { get; } = target;

    public int ThreadCount { get; } = threadCount;

    public int WorkRounds { get; } = workRounds;
}
