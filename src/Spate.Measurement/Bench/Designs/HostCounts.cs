using System.Runtime.InteropServices;

namespace Spate.Measurement.Bench.Designs;

/// <summary>What the whole system counted. Null where it does not tell.</summary>
/// <param name="Interrupts">See <see cref="SystemUsage.Interrupts"/>.</param>
/// <param name="BacklogDrops">See <see cref="SystemUsage.BacklogDrops"/>.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct HostCounts(long? Interrupts, long? BacklogDrops)
{
    public static HostCounts Read() => new(SystemUsage.Interrupts, SystemUsage.BacklogDrops);

    public static HostCounts operator -(HostCounts later, HostCounts earlier) =>
        new(later.Interrupts - earlier.Interrupts, later.BacklogDrops - earlier.BacklogDrops);
}
