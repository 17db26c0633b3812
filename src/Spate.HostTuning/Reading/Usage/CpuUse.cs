using System.Runtime.InteropServices;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// <c>ReceiveInterrupts</c>: runs of NET_RX; null where unknown. A run takes up to 64 packets of each queue (NAPI), so
/// it tells where packets arrive, not how many.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct CpuUse(CpuTimes Times, long? ReceiveInterrupts)
{
    public static CpuUse operator -(CpuUse later, CpuUse earlier) => new(
        later.Times - earlier.Times,
        CounterDelta.Narrow(later.ReceiveInterrupts, earlier.ReceiveInterrupts));

    public static CpuUse Subtract(CpuUse later, CpuUse earlier) => later - earlier;

    public static CpuUse operator +(CpuUse left, CpuUse right) =>
        new(left.Times + right.Times, left.ReceiveInterrupts + right.ReceiveInterrupts);

    public static CpuUse Add(CpuUse left, CpuUse right) => left + right;
}
