using Spate.HostTuning.Reading.Interrupts;

namespace Spate.HostTuning.Placement;

/// <summary>What <see cref="CpuPlan"/> needs to know about the threads to place.</summary>
internal sealed record CpuPlanOptions
{
    public required int ThreadCount { get; init; }

    /// <summary>Whether the threads receive; otherwise they send.</summary>
    public required bool IsReceiver { get; init; }

    /// <summary>Whether all traffic stays on the loopback, which has no interrupts. Default: false.</summary>
    public bool IsLoopback { get; init; }

    /// <summary>The interfaces that carry the traffic. Default: none, or unknown.</summary>
    public IReadOnlyList<InterfaceInterrupts> Interfaces { get; init => field = RecordList.Copy(value); } =
        RecordList.Copy<InterfaceInterrupts>([]);

    /// <summary>The CPUs on which the other end's threads run, where that is this machine. Default: none.</summary>
    public IReadOnlyList<int> OtherEndCpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>
    /// Whether <see cref="OtherEndCpus"/> is where <c>--cpu auto</c> would place the other end; otherwise its threads
    /// were seen there. Default: false.
    /// </summary>
    public bool OtherEndIsExpected { get; init; }

    public override string ToString() => RecordText.Of(
        nameof(CpuPlanOptions), PrintMembers, (nameof(Interfaces), Interfaces), (nameof(OtherEndCpus), OtherEndCpus));

    internal string OtherEndName => IsReceiver ? "sender" : "receiver";

    internal string InterfaceNames => string.Join(", ", Interfaces.Select(static network => network.Name));
}
