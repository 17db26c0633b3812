using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.Cli.Host;

/// <summary>Describes a placement of threads on CPUs, with one line for all threads of the same reason.</summary>
internal static class CpuText
{
    // Up to this number of CPUs, a line can list each one in the order of the threads.
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
