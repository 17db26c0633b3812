using System.Runtime.InteropServices;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// What one CPU did between two readings, or since the machine was started. <c>ReceiveInterrupts</c>: how often its
/// soft interrupt NET_RX ran; null where unknown. A run takes up to 64 packets of each queue (NAPI), so it tells where
/// packets arrive, not how many.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct CpuUse(CpuTimes Times, long? ReceiveInterrupts)
{
    /// <summary>What was added between two readings of a CPU.</summary>
    public static CpuUse operator -(CpuUse later, CpuUse earlier) => new(
        later.Times - earlier.Times,
        CounterDelta.Narrow(later.ReceiveInterrupts, earlier.ReceiveInterrupts));

    /// <inheritdoc cref="op_Subtraction"/>
    public static CpuUse Subtract(CpuUse later, CpuUse earlier) => later - earlier;

    /// <summary>The sum of two uses; interrupts that are unknown in one are unknown in the sum.</summary>
    public static CpuUse operator +(CpuUse left, CpuUse right) =>
        new(left.Times + right.Times, left.ReceiveInterrupts + right.ReceiveInterrupts);

    /// <inheritdoc cref="op_Addition"/>
    public static CpuUse Add(CpuUse left, CpuUse right) => left + right;
}
