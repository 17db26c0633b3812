using Spate.HostTuning.Reading.Cpus;

namespace Spate.Cli.Info;

/// <summary>The CPUs of a host, from <see cref="CpuFacts"/>.</summary>
/// <param name="OnlineCount">CPUs that are online.</param>
/// <param name="UsableCount">CPUs that this process may run on.</param>
/// <param name="UsableList">Their numbers, for example <c>0-3,8</c>.</param>
/// <param name="QuotaCpus">See <see cref="CpuFacts.QuotaCpus"/>.</param>
/// <param name="ModelName">See <see cref="CpuFacts.ModelName"/>.</param>
/// <param name="CoreCount">See <see cref="CpuFacts.CoreCount"/>.</param>
/// <param name="LastLevelCaches">The last-level caches; empty where the system shows none.</param>
/// <param name="All">Every online CPU in rising order.</param>
internal sealed record InfoCpus(
    int OnlineCount,
    int UsableCount,
    string UsableList,
    double? QuotaCpus,
    string? ModelName,
    int? CoreCount,
    IReadOnlyList<InfoCache> LastLevelCaches,
    IReadOnlyList<CpuInfo> All)
{
    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(InfoCpus), PrintMembers, (nameof(LastLevelCaches), LastLevelCaches), (nameof(All), All));

    internal static InfoCpus Of(CpuFacts cpus) => new(
        cpus.All.Count,
        cpus.UsableNumbers.Count,
        CpuList.Format(cpus.UsableNumbers),
        cpus.QuotaCpus,
        cpus.ModelName,
        cpus.CoreCount,
        [.. cpus.LastLevelCaches.Select(InfoCache.Of)],
        cpus.All);
}
