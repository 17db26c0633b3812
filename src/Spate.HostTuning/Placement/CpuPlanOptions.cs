using Spate.HostTuning.Reading.Interrupts;

namespace Spate.HostTuning.Placement;

/// <summary>What <see cref="CpuPlan"/> needs to know about the threads to place.</summary>
internal sealed record CpuPlanOptions
{
    public required int ThreadCount { get; init; }

    public required bool IsReceiver { get; init; }

    /// <summary>All traffic stays on the loopback, which has no interrupts.</summary>
    public bool IsLoopback { get; init; }

    public IReadOnlyList<InterfaceInterrupts> Interfaces { get; init => field = RecordList.Copy(value); } =
        RecordList.Copy<InterfaceInterrupts>([]);

    /// <summary>The CPUs of the other end's threads, where that end is this machine.</summary>
    public IReadOnlyList<int> OtherEndCpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary><c>--cpu auto</c> would place the other end there; otherwise its threads were seen there.</summary>
    public bool OtherEndIsExpected { get; init; }

    public override string ToString() => RecordText.Of(
        nameof(CpuPlanOptions), PrintMembers, (nameof(Interfaces), Interfaces), (nameof(OtherEndCpus), OtherEndCpus));

    internal string OtherEndName => IsReceiver ? "sender" : "receiver";

    internal string InterfaceNames => string.Join(", ", Interfaces.Select(static network => network.Name));
}
