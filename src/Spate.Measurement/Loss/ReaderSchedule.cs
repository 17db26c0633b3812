using System.Runtime.InteropServices;

namespace Spate.Measurement.Loss;

/// <summary>
/// Whether a receiving thread could run during a test; of several threads the mean. Null where the system does not
/// tell.
/// </summary>
/// <param name="RunQueueNanoseconds">
/// Time that the thread was ready to run and waited for a CPU (<c>/proc/PID/schedstat</c>).
/// </param>
/// <param name="StealNanoseconds">
/// Time that the hypervisor took from the thread's CPU (<c>steal</c> of proc_stat(5)). It overlaps with
/// <paramref name="RunQueueNanoseconds"/>.
/// </param>
/// <param name="StoppedNanoseconds">
/// Time that the thread was neither running nor ready although datagrams waited, for instance because the process was
/// stopped by a signal or frozen.
/// </param>
/// <param name="CpuPercent">The thread's CPU time in percent of the test's time.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct ReaderSchedule(
    long? RunQueueNanoseconds, long? StealNanoseconds, long? StoppedNanoseconds, double? CpuPercent)
{
    private const double NanosecondsPerSecond = 1e9;

    /// <summary>
    /// Seconds that the thread waited for a CPU: the longer of the two that overlap, so that nothing counts twice.
    /// </summary>
    internal double WaitingSeconds =>
        Math.Max(0, Math.Max(RunQueueNanoseconds ?? 0, StealNanoseconds ?? 0)) / NanosecondsPerSecond;

    /// <summary>Whether most of <see cref="WaitingSeconds"/> is the hypervisor's.</summary>
    internal bool IsStolen => StealNanoseconds > 0 && StealNanoseconds * 2 > (RunQueueNanoseconds ?? 0);

    /// <summary>Seconds that the thread was stopped.</summary>
    internal double StoppedSeconds => Math.Max(0, StoppedNanoseconds ?? 0) / NanosecondsPerSecond;
}
