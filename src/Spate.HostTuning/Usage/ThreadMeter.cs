using System.Globalization;
using Spate.HostTuning.Files;

namespace Spate.HostTuning.Usage;

/// <summary>
/// What one thread uses: CPU time, waiting for a CPU, context switches. Made on the thread itself or for the system's
/// number of one, read from any thread while that one lives. Linux only (proc(5): schedstat and status of a task);
/// elsewhere, and after the thread has ended, all is null.
/// </summary>
public sealed class ThreadMeter : IDisposable
{
    private const int MaxFileBytes = 4096;

    private readonly HostFile _schedstat;
    private readonly HostFile _status;

    /// <summary>For the thread that calls.</summary>
    public ThreadMeter()
        : this(new HostFiles("/"), "proc/thread-self") // the open file stays with the thread that opened it
    {
    }

    /// <summary>For a thread of this process.</summary>
    /// <param name="systemThreadId">The system's number of it, as gettid(2) returns it.</param>
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

    /// <summary>What the thread has used since it began, as of now. Two system calls, nothing allocated.</summary>
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

    /// <summary>What a thread of this process has used of a CPU so far, for a single reading.</summary>
    /// <param name="systemThreadId">The system's number of it, as gettid(2) returns it.</param>
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
