using System.Globalization;
using Spate.HostTuning.Files;

namespace Spate.HostTuning.Usage;

/// <summary>
/// Measures what one thread uses: CPU time, waiting for a CPU, context switches. The meter is made on the thread itself
/// or for a thread's system number. It may be read from any thread while the measured one lives. Linux only (proc(5):
/// schedstat and status of a task); elsewhere, and after the thread has ended, all figures are null.
/// </summary>
public sealed class ThreadMeter : IDisposable
{
    private const int MaxFileBytes = 4096;

    private readonly HostFile _schedstat;
    private readonly HostFile _status;

    /// <summary>Makes a meter for the calling thread.</summary>
    public ThreadMeter()
        : this(new HostFiles("/"), "proc/thread-self") // the open file stays with the thread that opened it
    {
    }

    /// <summary>Makes a meter for a thread of this process.</summary>
    /// <param name="systemThreadId">The thread's system number, as gettid(2) returns it.</param>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    public ThreadMeter(int systemThreadId, string rootPath = "/")
        : this(new HostFiles(rootPath), FolderOf(systemThreadId))
    {
    }

    private ThreadMeter(HostFiles files, string folder)
    {
        _schedstat = files.Open(folder + "/schedstat");
        _status = files.Open(folder + "/status");
    }

    /// <summary>What the thread has used since it began. A reading is two system calls and allocates nothing.</summary>
    public ThreadUsage Usage
    {
        get
        {
            Span<byte> buffer = stackalloc byte[MaxFileBytes];
            ReadOnlySpan<byte> schedstat = _schedstat.Read(buffer);
            long? cpuNanoseconds = HostText.NumberAt(schedstat, 0);
            long? runQueueNanoseconds = HostText.NumberAt(schedstat, 1);

            ReadOnlySpan<byte> status = _status.Read(buffer);
            return new ThreadUsage(
                cpuNanoseconds,
                runQueueNanoseconds,
                HostText.NumberAfter(status, "voluntary_ctxt_switches:"u8),
                HostText.NumberAfter(status, "nonvoluntary_ctxt_switches:"u8));
        }
    }

    /// <summary>Reads once how much CPU time a thread of this process has used so far.</summary>
    /// <param name="systemThreadId">The thread's system number, as gettid(2) returns it.</param>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    /// <returns>Nanoseconds; null where the system does not tell, or the thread has ended.</returns>
    public static long? ReadCpuNanoseconds(int systemThreadId, string rootPath = "/")
    {
        Span<byte> buffer = stackalloc byte[MaxFileBytes];
        using HostFile file = new HostFiles(rootPath).Open(FolderOf(systemThreadId) + "/schedstat");
        return HostText.NumberAt(file.Read(buffer), 0);
    }

    /// <summary>Closes the files; further readings are null.</summary>
    public void Dispose()
    {
        _schedstat.Dispose();
        _status.Dispose();
    }

    private static string FolderOf(int systemThreadId) =>
        string.Create(CultureInfo.InvariantCulture, $"proc/self/task/{systemThreadId}");
}
