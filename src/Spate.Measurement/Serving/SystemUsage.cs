using System.Buffers;

namespace Spate.Measurement.Serving;

/// <summary>What /proc tells of the machine and the process besides CPU. Linux; elsewhere all is null.</summary>
internal static class SystemUsage
{
    private const int BytesPerKilobyte = 1024;

    // /proc/stat has a line per CPU before the one that is read.
    private const int FileBytesMost = 128 * 1024;

    /// <summary>Interrupts of all CPUs since the machine was started (proc_stat(5): intr, the first number).</summary>
    public static long? Interrupts => Read("/proc/stat", "intr "u8);

    /// <summary>
    /// Memory that the process has locked or pinned. Rings of io_uring are pinned memory up to Linux 5.11, and since
    /// then charged to the control group instead.
    /// </summary>
    public static long? LockedBytes =>
        (Read("/proc/self/status", "VmLck:"u8) + Read("/proc/self/status", "VmPin:"u8)) * BytesPerKilobyte;

    /// <summary>The soft limit of locked memory in bytes; null for none.</summary>
    public static long? LockedLimitBytes => Read("/proc/self/limits", "Max locked memory"u8);

    private static long? Read(string path, ReadOnlySpan<byte> key)
    {
        using var file = ProcFile.TryOpen(path);
        if (file is null) return null;
        byte[] buffer = ArrayPool<byte>.Shared.Rent(FileBytesMost);
        try
        {
            return ProcFile.NumberAfter(ProcFile.Read(file, buffer), key);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
