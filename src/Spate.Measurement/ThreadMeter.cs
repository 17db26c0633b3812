using Microsoft.Win32.SafeHandles;

namespace Spate.Measurement;

/// <summary>
/// What one thread uses: CPU time, waiting for a CPU, context switches. Made on the thread itself, read from any
/// thread while that one lives. Linux only (proc(5): schedstat and status of /proc/thread-self); elsewhere, and after
/// the thread has ended, all is null.
/// </summary>
public sealed class ThreadMeter : IDisposable
{
    private const int FileBytesMost = 4096;

    // An open file of thread-self stays with the thread that opened it, whoever reads it.
    private readonly SafeFileHandle? _schedstat = ProcFile.TryOpen("/proc/thread-self/schedstat");
    private readonly SafeFileHandle? _status = ProcFile.TryOpen("/proc/thread-self/status");

    /// <summary>What the thread has used since it began, as of now. Two system calls, nothing allocated.</summary>
    public ThreadUsage Usage
    {
        get
        {
            Span<byte> buffer = stackalloc byte[FileBytesMost];
            ReadOnlySpan<byte> schedstat = ProcFile.Read(_schedstat, buffer);
            long? cpuNanoseconds = ProcFile.NumberAt(schedstat, 0);
            long? runQueueNanoseconds = ProcFile.NumberAt(schedstat, 1);

            ReadOnlySpan<byte> status = ProcFile.Read(_status, buffer);
            return new ThreadUsage(
                cpuNanoseconds,
                runQueueNanoseconds,
                ProcFile.NumberAfter(status, "voluntary_ctxt_switches:"u8),
                ProcFile.NumberAfter(status, "nonvoluntary_ctxt_switches:"u8));
        }
    }

    /// <summary>Closes the files; further readings are null.</summary>
    public void Dispose()
    {
        _schedstat?.Dispose();
        _status?.Dispose();
    }
}
