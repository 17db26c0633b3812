namespace Spate.HostTuning.Placement;

/// <summary>
/// CPUs that are worth a trial. <c>Cpus</c>: the CPUs in the order of <c>--cpu</c>: sender and receiver, or the one of
/// one thread.
/// </summary>
internal sealed record CpuTrial(IReadOnlyList<int> Cpus, string What)
{
    /// <summary>The value of <c>--cpu</c> that takes these CPUs, such as <c>0,1</c>.</summary>
    public string Option => string.Join(',', Cpus);

    public override string ToString() => RecordText.Of(nameof(CpuTrial), PrintMembers, (nameof(Cpus), Cpus));
}
