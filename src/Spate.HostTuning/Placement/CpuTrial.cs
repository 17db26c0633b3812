namespace Spate.HostTuning.Placement;

/// <summary>CPUs that are worth a trial.</summary>
/// <param name="Cpus">The CPUs in the order of <c>--cpu</c>: sender and receiver, or the one of one thread.</param>
/// <param name="What">How they differ from the others that are tried, for people.</param>
internal sealed record CpuTrial(IReadOnlyList<int> Cpus, string What)
{
    /// <summary>The value of <c>--cpu</c> that takes these CPUs, such as <c>0,1</c>.</summary>
    public string Option => string.Join(',', Cpus);

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(CpuTrial), PrintMembers, (nameof(Cpus), Cpus));
}
