namespace Spate.HostTuning.Placement;

/// <summary>How far a CPU is from the nearest of <see cref="CpuRanking.Anchors"/>.</summary>
internal enum CpuDistance
{
    SameCpu,
    SameCore,
    SameCache,
    SameNode,
    OtherNode,
}

/// <summary>A CPU that may be chosen, with the facts that the choice depends on.</summary>
internal sealed class CpuCandidate
{
    public required int Number { get; init; }

    public required int CoreKey { get; init; }

    public required InterruptLevel Level { get; init; }

    public required InterruptLevel SiblingLevel { get; init; }

    public required CpuDistance? Distance { get; init; }

    public required bool IsSlow { get; init; }

    /// <summary>Among the CPUs of its core, from 0.</summary>
    public required int SiblingIndex { get; init; }

    /// <summary>Threads of the test on the CPU, the other end's included.</summary>
    public int ThreadCount { get; set; }

    /// <summary>By the questions of <see cref="CpuPlan"/> in turn; lower is better.</summary>
    public bool IsBetterThan(CpuCandidate other, IReadOnlyDictionary<int, int> coreThreads, bool lastFirst)
    {
        int order = ThreadCount.CompareTo(other.ThreadCount);
        order = order != 0 ? order : Level.CompareTo(other.Level);
        order = order != 0 ? order
            : coreThreads.GetValueOrDefault(CoreKey).CompareTo(coreThreads.GetValueOrDefault(other.CoreKey));
        order = order != 0 ? order : IsFar.CompareTo(other.IsFar);
        order = order != 0 ? order : IsSlow.CompareTo(other.IsSlow);
        order = order != 0 ? order : SiblingLevel.CompareTo(other.SiblingLevel);
        order = order != 0 ? order : IsOutsideCache.CompareTo(other.IsOutsideCache);
        order = order != 0 ? order : SiblingIndex.CompareTo(other.SiblingIndex);
        return order != 0 ? order < 0 : lastFirst ? Number > other.Number : Number < other.Number;
    }

    private bool IsFar => Distance == CpuDistance.OtherNode;

    private bool IsOutsideCache => Distance > CpuDistance.SameCache;
}
