using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Spate.Measurement.Bench.Designs;

/// <summary>What the whole system counted. Null where it does not tell.</summary>
/// <param name="Interrupts">Interrupts serviced (proc_stat(5), <c>intr</c>).</param>
/// <param name="BacklogDrops">
/// Datagrams, or coalesced buffers, that the kernel dropped between sending and the receiving socket because a CPU's
/// queue of them was full (net.core.netdev_max_backlog; second column of /proc/net/softnet_stat).
/// </param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct HostCounts(long? Interrupts, long? BacklogDrops)
{
    public static HostCounts operator -(HostCounts later, HostCounts earlier) =>
        new(later.Interrupts - earlier.Interrupts, later.BacklogDrops - earlier.BacklogDrops);
}

/// <summary>Reads <see cref="HostCounts"/>, and the memory that is locked. Linux only; elsewhere all is null.</summary>
internal sealed class HostMeter : IDisposable
{
    // Before its line of interrupts /proc/stat has a line for each CPU.
    private const int FileBytesMost = 256 * 1024;
    private const int StatusBytesMost = 4096;
    private const int BytesPerKilobyte = 1024;
    private const int DroppedColumn = 1;

    private readonly SafeFileHandle? _stat = ProcFile.TryOpen("/proc/stat");
    private readonly SafeFileHandle? _softnet = ProcFile.TryOpen("/proc/net/softnet_stat");
    private readonly byte[] _buffer = new byte[FileBytesMost];

    public HostCounts Read() => new(
        ProcFile.NumberAfter(ProcFile.Read(_stat, _buffer), "intr "u8),
        SumOfDrops(Encoding.ASCII.GetString(ProcFile.Read(_softnet, _buffer))));

    /// <summary>
    /// Memory of the process that stays in RAM: locked (VmLck), and pinned for rings (VmPin), see proc_pid_status(5).
    /// </summary>
    public static long? ReadLockedBytes()
    {
        Span<byte> buffer = stackalloc byte[StatusBytesMost];
        using SafeFileHandle? file = ProcFile.TryOpen("/proc/self/status");
        ReadOnlySpan<byte> status = ProcFile.Read(file, buffer);
        return (ProcFile.NumberAfter(status, "VmLck:"u8) + (ProcFile.NumberAfter(status, "VmPin:"u8) ?? 0))
            * BytesPerKilobyte;
    }

    public void Dispose()
    {
        _stat?.Dispose();
        _softnet?.Dispose();
    }

    // A line per CPU, its columns hexadecimal.
    private static long? SumOfDrops(string softnet)
    {
        long? sum = null;
        foreach (string line in softnet.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            string[] columns = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (columns.Length > DroppedColumn
                && long.TryParse(columns[DroppedColumn], System.Globalization.NumberStyles.HexNumber, null, out long n))
            {
                sum = (sum ?? 0) + n;
            }
        }
        return sum;
    }
}
