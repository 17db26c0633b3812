namespace Spate.HostTuning.Reading.Interrupts;

/// <summary>One interrupt of an interface's queues.</summary>
/// <param name="Number">Its number in <c>/proc/interrupts</c>.</param>
/// <param name="Name">The driver's name for it, for example <c>virtio2-input.0</c>; empty where unknown.</param>
/// <param name="Direction">The direction of the datagrams that it announces, as far as the name tells.</param>
/// <param name="CpuNumbers">The CPUs that handle it, in rising order; empty where unknown.</param>
internal sealed record InterfaceInterrupt(
    int Number, string Name, InterruptDirection Direction, IReadOnlyList<int> CpuNumbers)
{
    public override string ToString() => RecordText.Of(
        nameof(InterfaceInterrupt), PrintMembers, (nameof(CpuNumbers), CpuNumbers));
}

/// <summary>The direction of the datagrams that an interrupt announces.</summary>
internal enum InterruptDirection
{
    /// <summary>Both, or the driver's name for it does not tell.</summary>
    Both,

    /// <summary>Interrupts of arrivals only.</summary>
    Receive,

    /// <summary>Interrupts of completed sends only.</summary>
    Send,
}
