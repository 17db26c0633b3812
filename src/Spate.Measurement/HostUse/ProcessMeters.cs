using System.Runtime.InteropServices;

namespace Spate.Measurement.HostUse;

/// <summary>
/// CPU time that the process has used since the meter was made. Works on every OS. A reading is one system call
/// (getrusage, GetProcessTimes) and allocates nothing. Safe to read from any thread.
/// </summary>
internal sealed class CpuMeter
{
    private readonly Environment.ProcessCpuUsage _start = Environment.CpuUsage;

    public CpuSeconds Elapsed
    {
        get
        {
            Environment.ProcessCpuUsage now = Environment.CpuUsage;
            return new CpuSeconds(
                (now.UserTime - _start.UserTime).TotalSeconds,
                (now.PrivilegedTime - _start.PrivilegedTime).TotalSeconds);
        }
    }
}

/// <summary>CPU time of the process, all threads. Softirq work is only partly in the kernel's part.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct CpuSeconds(double User, double System)
{
    public double Total => User + System;
}

/// <summary>
/// What the process has allocated on the managed heap since the meter was made. A reading stops no thread, so it is
/// exact only to a thread's allocation block (about 8 KiB for each thread, either way). Safe to read from any thread.
/// </summary>
internal sealed class AllocationMeter
{
    private readonly long _startBytes = GC.GetTotalAllocatedBytes(precise: false);
    private readonly int _startGen0Collections = GC.CollectionCount(0);

    public long AllocatedBytes => Math.Max(0, GC.GetTotalAllocatedBytes(precise: false) - _startBytes);

    /// <summary>Collections since the meter was made: every collection collects generation 0.</summary>
    public int Gen0Collections => GC.CollectionCount(0) - _startGen0Collections;
}
