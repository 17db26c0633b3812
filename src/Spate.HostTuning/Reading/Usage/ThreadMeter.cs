using Spate.HostTuning.Interop.Windows;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// Measures what one thread uses: CPU time, waiting for a CPU, context switches. The meter is made on the thread itself
/// or for a thread's system number. It may be read from any thread while the measured one lives. Linux (proc(5):
/// schedstat, status and stat of a task) has all figures but the cycles. Windows (GetThreadTimes, QueryThreadCycleTime)
/// has CPU time and cycles. Unknown figures are null, as all are after the thread has ended on Linux.
/// </summary>
internal sealed class ThreadMeter : IDisposable
{
    private readonly ThreadSource _source;

    /// <summary>Makes a meter for the calling thread.</summary>
    public ThreadMeter()
        : this(OperatingSystem.IsWindows()
            ? new WindowsThread(ProcessThreadsApi.GetCurrentThreadId())
            : new LinuxThread(new HostFiles("/"), "proc/thread-self")) // the open file stays with the opening thread
    {
    }

    /// <summary>
    /// Makes a meter for a thread of this process. <c>systemThreadId</c>: the thread's system number, as gettid(2) or
    /// GetCurrentThreadId returns it.
    /// </summary>
    public ThreadMeter(int systemThreadId, string rootPath = "/")
        : this(SourceOf(systemThreadId, new HostFiles(rootPath)))
    {
    }

    private ThreadMeter(ThreadSource source) => _source = source;

    /// <summary>The use of the thread since it began. A reading allocates nothing.</summary>
    public ThreadUsage Usage => _source.Usage;

    /// <summary>
    /// How the thread has used its CPU time since it began, and where it ran last. A reading allocates nothing.
    /// </summary>
    public ThreadTimes Times => _source.Times;

    /// <summary>
    /// The CPUs that the thread may run on now, as <see cref="Cpus.CpuList"/> writes them; null if unknown.
    /// Windows: those of the group of processors that the thread is in, with 64 numbers for each group.
    /// </summary>
    public string? AllowedCpuList => _source.AllowedCpuList;

    /// <summary>
    /// Reads once how much CPU time a thread of this process has used so far. <c>systemThreadId</c>: the thread's
    /// system number, as gettid(2) or GetCurrentThreadId returns it.
    /// </summary>
    /// <returns>Nanoseconds; null where the system does not tell, or the thread has ended.</returns>
    public static long? ReadCpuNanoseconds(int systemThreadId, string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        if (!IsWindows(files)) return LinuxThread.ReadCpuNanoseconds(files, systemThreadId);

        using var thread = new WindowsThread((uint)systemThreadId);
        return thread.Usage.CpuNanoseconds;
    }

    /// <summary>Ends the measuring; further readings are null.</summary>
    public void Dispose() => _source.Dispose();

    private static ThreadSource SourceOf(int systemThreadId, HostFiles files) => IsWindows(files)
        ? new WindowsThread((uint)systemThreadId)
        : new LinuxThread(files, LinuxThread.FolderOf(systemThreadId));

    private static bool IsWindows(HostFiles files) => files.IsEmpty && OperatingSystem.IsWindows();
}
