using Spate.Cli.Shell;
using Spate.HostTuning.Placement;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Bench.Designs;

/// <summary>What <see cref="DesignRun"/> measures and for how long.</summary>
internal sealed class DesignOptions
{
    /// <summary>The largest number of threads of a row.</summary>
    public const int MaxThreadCount = 256;

    /// <summary>The largest number of flows (source ports) of the generator.</summary>
    public const int MaxFlowCount = 1024;

    /// <summary>The largest number of datagrams for one row.</summary>
    public const long MaxCount = 1_000_000_000;

    /// <summary>The budget of a quick run: 40 s.</summary>
    public static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(40);

    /// <summary>Datagrams for every row of a quick run, all rounds together.</summary>
    public const long QuickCount = 600_000;

    /// <summary>
    /// Names of the rows to run, of <see cref="DesignRun.RowNames"/>; null (the default) runs all, those of
    /// <see cref="WindowsDesign"/> on Windows only.
    /// </summary>
    public IReadOnlyList<string>? RowNames { get; init => field = RecordList.Copy(value); }

    /// <summary>
    /// Rounds of <see cref="WorkLoad"/> per datagram, 0 and 500 by default. Each number gives a set of rows.
    /// </summary>
    public IReadOnlyList<int> WorkRounds { get; init => field = RecordList.Copy(value); } = RecordList.Copy([0, 500]);

    /// <summary>
    /// Datagrams for every row, divided evenly among the rounds; 5,000,000 by default. The published method sends 50
    /// million over a link of 10 Gbit/s.
    /// </summary>
    public long Count { get; init; } = 5_000_000;

    /// <summary>Measured rounds, 5 by default; fewer if the budget ends. An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 5;

    /// <summary>Payload bytes per datagram, 1024 by default.</summary>
    public int SizeBytes { get; init; } = 1024;

    /// <summary>Threads that run handlers, 8 by default. Each number gives a set of rows.</summary>
    public IReadOnlyList<int> ThreadCounts { get; init => field = RecordList.Copy(value); } = RecordList.Copy([8]);

    /// <summary>
    /// Flows (source ports) of the generator, the same for all rows; null (the default) takes one per thread.
    /// </summary>
    public int? FlowCount { get; init; }

    /// <summary>CPU index of the generator's thread; null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? GeneratorCpu { get; init; }

    /// <summary>CPU indexes of the server's threads, in turn; if empty (the default), the system decides.</summary>
    public IReadOnlyList<int> ServerCpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>
    /// The receive buffer requested, in bytes, 128 MiB by default: of the shared socket, or of all shards together.
    /// </summary>
    public int BufferBytes { get; init; } = 128 * 1024 * 1024;

    /// <summary>The time for the whole bench, 170 s by default. No round begins that would end after it.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(170);

    /// <summary>Datagrams of one round.</summary>
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
