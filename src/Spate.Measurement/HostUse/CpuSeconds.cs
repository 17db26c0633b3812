using System.Runtime.InteropServices;

namespace Spate.Measurement.HostUse;

/// <summary>CPU time of the whole process, all threads.</summary>
/// <param name="User">Seconds in the program itself.</param>
/// <param name="System">Seconds in the kernel on the program's behalf; softirq work is only partly in it.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct CpuSeconds(double User, double System)
{
    /// <summary>The sum of user and system time.</summary>
    public double Total => User + System;
}
