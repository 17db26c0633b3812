using Spate.HostTuning.Reading.Cpus;

namespace Spate.Cli.Info;

/// <summary>
/// The CPUs of a host, from <see cref="CpuFacts"/>. <c>LastLevelCaches</c>: the last-level caches; empty where the
/// system shows none.
/// </summary>
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

/// <summary>A last-level cache. <c>SizeBytes</c>: its size; null where the system does not tell.</summary>
internal sealed record InfoCache(int Level, long? SizeBytes, string CpuList)
{
    internal static InfoCache Of(CacheInfo cache) =>
        new(cache.Level, cache.SizeBytes, HostTuning.Reading.Cpus.CpuList.Format(cache.CpuNumbers));
}
