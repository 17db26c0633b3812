namespace Spate.HostTuning.Reading.Interrupts;

/// <summary>One interrupt of an interface's queues. Unknown texts and lists are empty.</summary>
/// <param name="Name">The driver's name for it, for example <c>virtio2-input.0</c>.</param>
internal sealed record InterfaceInterrupt(
    int Number, string Name, InterruptDirection Direction, IReadOnlyList<int> CpuNumbers)
{
    public override string ToString() => RecordText.Of(
        nameof(InterfaceInterrupt), PrintMembers, (nameof(CpuNumbers), CpuNumbers));
}

internal enum InterruptDirection
{
    /// <summary>Or the driver's name for it does not tell.</summary>
    Both,

    Receive,

    Send,
}
