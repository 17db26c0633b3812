using Spate.HostTuning;

namespace Spate.Cli.Output;

/// <summary>A placement in words, a line for each reason rather than for each thread.</summary>
internal static class CpuText
{
    public static IEnumerable<string> Explain(CpuPlan plan)
    {
        foreach (IGrouping<string, PlannedCpu> group in plan.Threads.GroupBy(
            static thread => thread.Why, StringComparer.Ordinal))
        {
            int[] numbers = [.. group.Select(static thread => thread.Number)];
            yield return $"--cpu auto: {(numbers.Length == 1 ? "1 thread on CPU" : $"{numbers.Length} threads on CPUs")} "
                + $"{string.Join(',', numbers)}: {group.Key}";
        }

        foreach (string warning in plan.Warnings)
        {
            yield return Warning(warning);
        }
    }

    public static string Warning(string text) => "warning: --cpu: " + text;
}
