using Spate.HostTuning.Cpus;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Traffic;

/// <summary>A placement in words, a line for each reason rather than for each thread.</summary>
internal static class CpuText
{
    // Up to this number, CPUs are listed in the order of the threads, which still fits a line.
    private const int MaxOrderedCount = 16;

    public static IEnumerable<string> Explain(CpuPlan plan)
    {
        foreach (IGrouping<string, PlannedCpu> group in plan.Threads.GroupBy(
            static thread => thread.Why, StringComparer.Ordinal))
        {
            int[] numbers = [.. group.Select(static thread => thread.Number)];
            string threads = numbers.Length == 1 ? "1 thread on CPU" : $"{numbers.Length} threads on CPUs";
            string list = numbers.Length > MaxOrderedCount ? CpuList.Format(numbers) : string.Join(',', numbers);
            yield return $"--cpu auto: {threads} {list}: {group.Key}";
        }

        foreach (string warning in plan.Warnings)
        {
            yield return Warning(warning);
        }
    }

    public static string Warning(string text) => "warning: --cpu: " + text;
}
