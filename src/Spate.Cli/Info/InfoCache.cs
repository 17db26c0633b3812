using Spate.HostTuning.Reading.Cpus;

namespace Spate.Cli.Info;

/// <summary>A last-level cache. <c>SizeBytes</c>: its size; null where the system does not tell.</summary>
internal sealed record InfoCache(int Level, long? SizeBytes, string CpuList)
{
    internal static InfoCache Of(CacheInfo cache) =>
        new(cache.Level, cache.SizeBytes, HostTuning.Reading.Cpus.CpuList.Format(cache.CpuNumbers));
}
