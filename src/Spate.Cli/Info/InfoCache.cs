using Spate.HostTuning.Reading.Cpus;

namespace Spate.Cli.Info;

/// <summary>A last-level cache.</summary>
/// <param name="Level">Its level, for example 3.</param>
/// <param name="SizeBytes">Its size; null where the system does not tell.</param>
/// <param name="CpuList">The CPUs that share it, for example <c>0-3</c>.</param>
internal sealed record InfoCache(int Level, long? SizeBytes, string CpuList)
{
    internal static InfoCache Of(CacheInfo cache) =>
        new(cache.Level, cache.SizeBytes, HostTuning.Reading.Cpus.CpuList.Format(cache.CpuNumbers));
}
