namespace Spate.HostTuning.Reading.Cpus;

/// <summary>One last-level cache and the CPUs that share it.</summary>
/// <param name="Level">The cache's level: 3 on most servers, 2 where there is no third level.</param>
/// <param name="SizeBytes">Its size in bytes; null where unknown (virtual machines often hide it).</param>
/// <param name="CpuNumbers">The CPUs that share it, in rising order.</param>
internal sealed record CacheInfo(int Level, long? SizeBytes, IReadOnlyList<int> CpuNumbers)
{
    public override string ToString() => RecordText.Of(
        nameof(CacheInfo), PrintMembers, (nameof(CpuNumbers), CpuNumbers));
}
