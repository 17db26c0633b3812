using Spate.HostTuning.Reading.Cpus;

namespace Spate.HostTuning.Settings;

/// <summary>A file with a set of CPUs as a mask, such as those that take packets from a queue.</summary>
internal sealed record CpuMaskSetting(string Path) : FileSetting(Path)
{
    public const string None = "0";

    // The kernel writes as many digits as it may have CPUs, people as few as they need.
    public override bool IsSame(string left, string right) =>
        CpuList.TryParseMask(left, out IReadOnlyList<int> one)
        && CpuList.TryParseMask(right, out IReadOnlyList<int> other)
            ? one.SequenceEqual(other)
            : base.IsSame(left, right);
}
