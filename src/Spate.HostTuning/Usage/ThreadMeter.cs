using System.Globalization;
using Spate.HostTuning.Files;

namespace Spate.HostTuning.Usage;

/// <summary>
/// Measures what one thread uses: CPU time, waiting for a CPU, context switches. The meter is made on the thread itself
/// or for a thread's system number. It may be read from any thread while the measured one lives. Linux only (proc(5):
/// schedstat, status and stat of a task); elsewhere, and after the thread has ended, all figures are null.
/// </summary>
public sealed class ThreadMeter : IDisposable
{
    private const int MaxFileBytes = 4096;

    // What the kernel's do_task_stat (fs/proc/array.c) counts in, on all processors that .NET runs on: USER_HZ is 100.
    private const long TickNanoseconds = 10_000_000;

    // Fields 14, 15 and 39 of proc_pid_stat(5), counted from the one behind the name.
    private const int UserWord = 11;
    private const int SystemWord = 12;
    private const int CpuWord = 36;

    private readonly HostFile _schedstat;
    private readonly HostFile _status;
    private readonly HostFile _stat;

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
        _stat = files.Open(folder + "/stat");
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

    /// <summary>
    /// How the thread has used its CPU time since it began, and where it ran last. A reading is one system call and
    /// allocates nothing.
    /// </summary>
    public ThreadTimes Times
    {
        get
        {
            Span<byte> buffer = stackalloc byte[MaxFileBytes];
            ReadOnlySpan<byte> stat = _stat.Read(buffer);

            // The name is in brackets and may hold anything, brackets and blanks included.
            ReadOnlySpan<byte> fields = stat[(stat.LastIndexOf((byte)')') + 1)..];
            return new ThreadTimes(
                HostText.Number(HostText.WordAt(fields, UserWord)) * TickNanoseconds,
                HostText.Number(HostText.WordAt(fields, SystemWord)) * TickNanoseconds,
                HostText.Number(HostText.WordAt(fields, CpuWord)) is { } cpu and >= 0 and <= int.MaxValue
                    ? (int)cpu
                    : null);
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
        _stat.Dispose();
    }

    private static string FolderOf(int systemThreadId) =>
        string.Create(CultureInfo.InvariantCulture, $"proc/self/task/{systemThreadId}");
}
