using Spate.HostTuning.Interop.Windows;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// Measures what one thread uses; read from any thread while it lives. Linux (proc(5): schedstat, status, stat) has all
/// but the cycles, Windows (GetThreadTimes, QueryThreadCycleTime) CPU time and cycles. Others are null.
/// </summary>
internal sealed class ThreadMeter : IDisposable
{
    private readonly ThreadSource _source;

    public ThreadMeter()
        : this(OperatingSystem.IsWindows()
            ? new WindowsThread(ProcessThreadsApi.GetCurrentThreadId())
            : new LinuxThread(new HostFiles("/"), "proc/thread-self")) // the open file stays with the opening thread
    {
    }

    /// <summary><c>systemThreadId</c>: of this process, as gettid(2) or GetCurrentThreadId returns it.</summary>
    public ThreadMeter(int systemThreadId, string rootPath = "/")
        : this(SourceOf(systemThreadId, new HostFiles(rootPath)))
    {
    }

    private ThreadMeter(ThreadSource source) => _source = source;

    /// <summary>Since the thread began. A reading allocates nothing.</summary>
    public ThreadUsage Usage => _source.Usage;

    /// <summary>Since the thread began. A reading allocates nothing.</summary>
    public ThreadTimes Times => _source.Times;

    /// <summary>As <see cref="Cpus.CpuList"/> writes them. Windows: of its group, 64 numbers each.</summary>
    public string? AllowedCpuList => _source.AllowedCpuList;

    /// <summary>Since the thread began; null where unknown, or the thread has ended.</summary>
    public static long? ReadCpuNanoseconds(int systemThreadId, string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        if (!IsWindows(files)) return LinuxThread.ReadCpuNanoseconds(files, systemThreadId);

        using var thread = new WindowsThread((uint)systemThreadId);
        return thread.Usage.CpuNanoseconds;
    }

    public void Dispose() => _source.Dispose();

    private static ThreadSource SourceOf(int systemThreadId, HostFiles files) => IsWindows(files)
        ? new WindowsThread((uint)systemThreadId)
        : new LinuxThread(files, LinuxThread.FolderOf(systemThreadId));

    private static bool IsWindows(HostFiles files) => files.IsEmpty && OperatingSystem.IsWindows();
}
