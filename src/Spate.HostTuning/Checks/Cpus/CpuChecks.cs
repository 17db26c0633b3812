namespace Spate.HostTuning.Checks.Cpus;

/// <summary>The checks of the CPUs and of the machine that they stand in.</summary>
internal static class CpuChecks
{
    public static IReadOnlyList<HostCheck> All { get; } = [];
}
