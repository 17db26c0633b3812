using Spate.Measurement.Serving;

namespace Spate.Measurement.Bench.Designs;

/// <summary>What <see cref="DesignRun"/> measures and for how long.</summary>
public sealed class DesignOptions
{
    /// <summary>The most threads that a row can have.</summary>
    public const int MaxThreadCount = 256;

    /// <summary>The most flows (source ports) that the generator can have.</summary>
    public const int MaxFlowCount = 1024;

    /// <summary>The most datagrams for one row.</summary>
    public const long MaxCount = 1_000_000_000;

    /// <summary>The time a quick run may take.</summary>
    public static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(40);

    /// <summary>Datagrams of a quick run for every row, all rounds together.</summary>
    public const long QuickCount = 600_000;

    /// <summary>
    /// Rows to run, by name; null (the default) runs all. Names are <see cref="DesignRun.RowNames"/>.
    /// </summary>
    public IReadOnlyList<string>? RowNames { get; init; }

    /// <summary>
    /// Rounds of <see cref="WorkLoad"/> per datagram; each gives a set of rows. 0 and 500 by default.
    /// </summary>
    public IReadOnlyList<int> WorkRounds { get; init; } = [0, 500];

    /// <summary>
    /// Datagrams for every row, shared out evenly over the rounds; 5,000,000 by default, as in the published method
    /// (there 50 million, on a 10 Gbit/s link).
    /// </summary>
    public long Count { get; init; } = 5_000_000;

    /// <summary>Measured rounds, 5 by default; odd numbers have a middle. Fewer when the budget is used up.</summary>
    public int RoundCount { get; init; } = 5;

    /// <summary>Payload bytes per datagram, 1024 by default.</summary>
    public int SizeBytes { get; init; } = 1024;

    /// <summary>Threads that run handlers, 8 by default. Each number gives a set of rows.</summary>
    public IReadOnlyList<int> ThreadCounts { get; init; } = [8];

    /// <summary>
    /// Flows, that is, source ports of the generator, the same for all rows. Null (the default): as many as threads.
    /// </summary>
    public int? FlowCount { get; init; }

    /// <summary>CPU index of the generator's thread; null (the default) takes the first allowed one.</summary>
    public int? GeneratorCpu { get; init; }

    /// <summary>CPU indexes of the server's threads, in turn; empty (the default): the system decides.</summary>
    public IReadOnlyList<int> ServerCpus { get; init; } = [];

    /// <summary>
    /// Receive buffer asked for, in bytes, 128 MiB by default: of the shared socket, or of all shards together.
    /// </summary>
    public int BufferBytes { get; init; } = 128 * 1024 * 1024;

    /// <summary>The time for everything, 170 s by default; no round begins that would surely end after it.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(170);

    /// <summary>Datagrams of one round.</summary>
    internal long RoundDatagrams => Math.Max(1, Count / RoundCount);

    internal void Validate()
    {
        new BenchOptions { SizesBytes = [SizeBytes], BufferBytes = BufferBytes }.Validate();
        Require(RoundCount is >= 1 and <= 1001, $"{RoundCount} rounds cannot be run; name 1 to 1001.");
        Require(
            Count >= RoundCount && Count <= MaxCount,
            $"{Count} datagrams cannot be sent in {RoundCount} rounds; name {RoundCount} to {MaxCount}.");
        Require(FlowCount is null or (>= 1 and <= MaxFlowCount), $"Name 1 to {MaxFlowCount} flows, not {FlowCount}.");
        RequireList(ThreadCounts, 1, MaxThreadCount, "threads");
        RequireList(WorkRounds, 0, WorkLoad.MaxRounds, "rounds of work");
        string? unknown = RowNames?.FirstOrDefault(name => !DesignRun.RowNames.Contains(name, StringComparer.Ordinal));
        Require(unknown is null, $"There is no row {unknown}; name some of {string.Join(", ", DesignRun.RowNames)}.");
    }

    private static void RequireList(IReadOnlyList<int> numbers, int least, int most, string what)
    {
        bool isRight = numbers.Count is >= 1 and <= BenchOptions.MaxSizeCount
            && numbers.All(number => number >= least && number <= most)
            && numbers.Distinct().Count() == numbers.Count;
        Require(
            isRight,
            $"Name 1 to {BenchOptions.MaxSizeCount} different numbers of {what}, each from {least} to {most}.");
    }

    private static void Require(bool condition, string message)
    {
        if (!condition) throw new BenchException(message);
    }
}
