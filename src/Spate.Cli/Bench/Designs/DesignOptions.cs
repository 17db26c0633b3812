using Spate.Cli.Shell;
using Spate.HostTuning.Placement;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Bench.Designs;

/// <summary>What <see cref="DesignRun"/> measures and for how long.</summary>
internal sealed class DesignOptions
{
    public const int MaxThreadCount = 256;

    public const int MaxFlowCount = 1024;

    public const long MaxCount = 1_000_000_000;

    public static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(40);

    /// <summary>Datagrams for every row of a quick run, all rounds together.</summary>
    public const long QuickCount = 600_000;

    /// <summary>Null (the default) runs all, those of <see cref="WindowsDesign"/> on Windows only.</summary>
    public IReadOnlyList<string>? RowNames { get; init => field = RecordList.Copy(value); }

    /// <summary>Rounds of <see cref="WorkLoad"/> per datagram. Each number gives a set of rows.</summary>
    public IReadOnlyList<int> WorkRounds { get; init => field = RecordList.Copy(value); } = RecordList.Copy([0, 500]);

    /// <summary>For every row, all rounds together. The published method sends 50 million over 10 Gbit/s.</summary>
    public long Count { get; init; } = 5_000_000;

    /// <summary>Fewer if the budget ends. An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 5;

    public int SizeBytes { get; init; } = 1024;

    /// <summary>Threads that run handlers. Each number gives a set of rows.</summary>
    public IReadOnlyList<int> ThreadCounts { get; init => field = RecordList.Copy(value); } = RecordList.Copy([8]);

    /// <summary>Source ports of the generator, the same for all rows; null takes one per thread.</summary>
    public int? FlowCount { get; init; }

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? GeneratorCpu { get; init; }

    /// <summary>One for each thread in turn; if empty, the system decides.</summary>
    public IReadOnlyList<int> ServerCpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>The receive buffer of the shared socket, or of all shards together.</summary>
    public int BufferBytes { get; init; } = 128 * 1024 * 1024;

    /// <summary>No round begins that would end after it.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(170);

    internal long RoundDatagrams => Math.Max(1, Count / RoundCount);

    internal void Validate()
    {
        new BenchOptions { SizesBytes = [SizeBytes], BufferBytes = BufferBytes }.Validate();
        BenchOptions.RequireRounds(RoundCount);
        Require(
            Count >= RoundCount && Count <= MaxCount,
            $"{Count} datagrams cannot be sent in {RoundCount} rounds; name {RoundCount} to {MaxCount}.");
        Require(FlowCount is null or (>= 1 and <= MaxFlowCount), $"Name 1 to {MaxFlowCount} flows, not {FlowCount}.");
        RequireList(ThreadCounts, 1, MaxThreadCount, "threads");
        RequireList(WorkRounds, 0, WorkLoad.MaxRounds, "rounds of work");
        BenchOptions.RequireRows(RowNames, DesignRun.RowNames);
    }

    private static void RequireList(IReadOnlyList<int> numbers, int min, int max, string what)
    {
        bool isRight = numbers.Count is >= 1 and <= BenchOptions.MaxSizeCount
            && numbers.All(number => number >= min && number <= max)
            && numbers.Distinct().Count() == numbers.Count;
        Require(
            isRight,
            $"Name 1 to {BenchOptions.MaxSizeCount} different numbers of {what}, each from {min} to {max}.");
    }

    private static void Require(bool condition, string message)
    {
        if (!condition) throw new BenchException(message);
    }
}
