using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Spate.Serving;

namespace Spate.Measurement;

/// <summary>
/// What one thread uses: CPU time, waiting for a CPU, context switches. Made on the thread itself or for the system's
/// number of one, read from any thread while that one lives. Linux only (proc(5): schedstat and status of a task);
/// elsewhere, and after the thread has ended, all is null.
/// </summary>
public sealed class ThreadMeter : IDisposable
{
    private const int FileBytesMost = 4096;

    private readonly SafeFileHandle? _schedstat;
    private readonly SafeFileHandle? _status;

    /// <summary>For the thread that calls.</summary>
    public ThreadMeter()
        : this("/proc/thread-self") // an open file of it stays with the thread that opened it, whoever reads it
    {
    }

    /// <summary>For a thread of this process.</summary>
    /// <param name="systemThreadId">The system's number of it, as in <see cref="UdpThreadStatistics"/>.</param>
    public ThreadMeter(int systemThreadId)
        : this(string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{systemThreadId}"))
    {
    }

    private ThreadMeter(string folder)
    {
        _schedstat = ProcFile.TryOpen(folder + "/schedstat");
        _status = ProcFile.TryOpen(folder + "/status");
    }

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
