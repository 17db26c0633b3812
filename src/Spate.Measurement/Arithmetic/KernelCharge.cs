namespace Spate.Measurement.Arithmetic;

/// <summary>What the kernel charges a buffer for a datagram: its <c>truesize</c>. docs/tuning.md has a table.</summary>
internal static class KernelCharge
{
    private const int BookkeepingBytes = 1024;

    // Drivers that keep each datagram in half a page of 4 KiB (igb, ixgbe), with the 256 bytes of struct sk_buff.
    private const int HalfPageBytes = 2048 + 256;

    /// <summary>The most that is charged on the loopback: measured on Linux 6.18.</summary>
    public static int MaxLoopbackBytes(int sizeBytes) => (2 * sizeBytes) + BookkeepingBytes;

    /// <summary>What to plan with where datagrams come from a card.</summary>
    public static int PlannedBytes(int sizeBytes) => Math.Max(MaxLoopbackBytes(sizeBytes), HalfPageBytes);
}
