using System.Numerics;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;
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

/// <summary>
/// Since the thread began; null where unknown. <c>CpuNanoseconds</c>: user and kernel, some milliseconds behind for a
/// thread that runs (updated at ticks and switches); whole ticks of 15.6 ms on Windows.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ThreadUsage(
    long? CpuNanoseconds, long? RunQueueNanoseconds, long? VoluntarySwitches, long? InvoluntarySwitches)
{
    /// <summary>Windows counts these exactly. Null on other systems.</summary>
    public long? Cycles { get; init; }

    public static ThreadUsage operator -(ThreadUsage later, ThreadUsage earlier) => new(
        later.CpuNanoseconds - earlier.CpuNanoseconds,
        later.RunQueueNanoseconds - earlier.RunQueueNanoseconds,
        later.VoluntarySwitches - earlier.VoluntarySwitches,
        later.InvoluntarySwitches - earlier.InvoluntarySwitches)
    {
        Cycles = later.Cycles - earlier.Cycles,
    };

    public static ThreadUsage operator +(ThreadUsage left, ThreadUsage right) => new(
        left.CpuNanoseconds + right.CpuNanoseconds,
        left.RunQueueNanoseconds + right.RunQueueNanoseconds,
        left.VoluntarySwitches + right.VoluntarySwitches,
        left.InvoluntarySwitches + right.InvoluntarySwitches)
    {
        Cycles = left.Cycles + right.Cycles,
    };
}

/// <summary>How one thread has used its CPU time since it began, and where it ran last; null where unknown.</summary>
/// <param name="UserNanoseconds">Steps of 10 ms, split by ticks: estimates for a short time.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ThreadTimes(long? UserNanoseconds, long? SystemNanoseconds, int? Cpu)
{
    /// <summary>With the CPU of the later one; null where either is unknown.</summary>
    public static ThreadTimes operator -(ThreadTimes later, ThreadTimes earlier) => new(
        later.UserNanoseconds - earlier.UserNanoseconds,
        later.SystemNanoseconds - earlier.SystemNanoseconds,
        later.Cpu);
}

/// <summary>The source of the figures of one thread: one form per system.</summary>
internal abstract class ThreadSource : IDisposable
{
    public abstract ThreadUsage Usage { get; }

    public abstract ThreadTimes Times { get; }

    public abstract string? AllowedCpuList { get; }

    public abstract void Dispose();
}

/// <summary>The figures of a thread on Linux (proc(5): schedstat, status and stat of a task).</summary>
internal sealed class LinuxThread : ThreadSource
{
    private const int MaxFileBytes = 4096;

    // The unit of the kernel's do_task_stat (fs/proc/array.c), on all processors that .NET runs on: USER_HZ is 100.
    private const long TickNanoseconds = 10_000_000;

    // Fields 14, 15 and 39 of proc_pid_stat(5), counted from the one after the name.
    private const int UserWord = 11;
    private const int SystemWord = 12;
    private const int CpuWord = 36;

    private readonly HostFile _schedstat;
    private readonly HostFile _status;
    private readonly HostFile _stat;

    public LinuxThread(HostFiles files, string folder)
    {
        _schedstat = files.Open(folder + "/schedstat");
        _status = files.Open(folder + "/status");
        _stat = files.Open(folder + "/stat");
    }

    public override ThreadUsage Usage
    {
        get
        {
            Span<byte> buffer = stackalloc byte[MaxFileBytes];
            ReadOnlySpan<byte> schedstat = _schedstat.Read(buffer);
            long? cpuNanoseconds = FileText.NumberAt(schedstat, 0);
            long? runQueueNanoseconds = FileText.NumberAt(schedstat, 1);

            ReadOnlySpan<byte> status = _status.Read(buffer);
            return new ThreadUsage(
                cpuNanoseconds,
                runQueueNanoseconds,
                FileText.NumberAfter(status, "voluntary_ctxt_switches:"u8),
                FileText.NumberAfter(status, "nonvoluntary_ctxt_switches:"u8));
        }
    }

    public override ThreadTimes Times
    {
        get
        {
            Span<byte> buffer = stackalloc byte[MaxFileBytes];
            ReadOnlySpan<byte> stat = _stat.Read(buffer);

            // The name is in brackets and may hold anything, brackets and blanks included.
            ReadOnlySpan<byte> fields = stat[(stat.LastIndexOf((byte)')') + 1)..];
            return new ThreadTimes(
                FileText.Number(FileText.WordAt(fields, UserWord)) * TickNanoseconds,
                FileText.Number(FileText.WordAt(fields, SystemWord)) * TickNanoseconds,
                FileText.Number(FileText.WordAt(fields, CpuWord)) is { } cpu and >= 0 and <= int.MaxValue
                    ? (int)cpu
                    : null);
        }
    }

    public override string? AllowedCpuList
    {
        get
        {
            Span<byte> buffer = stackalloc byte[MaxFileBytes];
            ReadOnlySpan<byte> status = _status.Read(buffer);
            ReadOnlySpan<byte> label = "Cpus_allowed_list:"u8;
            int start = status.IndexOf(label);
            if (start < 0) return null;

            ReadOnlySpan<byte> line = status[(start + label.Length)..];
            int end = line.IndexOf((byte)'\n');
            return end < 0 ? null : Encoding.ASCII.GetString(line[..end]).Trim();
        }
    }

    public static string FolderOf(int systemThreadId) => $"proc/self/task/{systemThreadId}";

    public static long? ReadCpuNanoseconds(HostFiles files, int systemThreadId)
    {
        Span<byte> buffer = stackalloc byte[MaxFileBytes];
        using HostFile file = files.Open(FolderOf(systemThreadId) + "/schedstat");
        return FileText.NumberAt(file.Read(buffer), 0);
    }

    public override void Dispose()
    {
        _schedstat.Dispose();
        _status.Dispose();
        _stat.Dispose();
    }
}

/// <summary>
/// The figures of a thread on Windows. Its switches and its waiting for a CPU stay null: the one source of switches is
/// a call that lists the threads of all processes (NtQuerySystemInformation), and Wine, under which all this was tried,
/// answers 0 there.
/// </summary>
internal sealed class WindowsThread : ThreadSource
{
    // A group of processors has at most 64, so the index of a processor is 64 times its group, plus its number.
    private const int CpusPerGroup = 64;
    private const long NanosecondsPerStep = 100;

    private readonly SafeWaitHandle _thread;

    public WindowsThread(uint systemThreadId) => _thread = ProcessThreadsApi.OpenThread(
        ProcessThreadsApi.THREAD_QUERY_LIMITED_INFORMATION, bInheritHandle: false, systemThreadId);

    public override ThreadUsage Usage
    {
        get
        {
            (long? user, long? system) = ReadTimes();
            return new ThreadUsage(user + system, null, null, null) { Cycles = ReadCycles() };
        }
    }

    public override ThreadTimes Times
    {
        get
        {
            (long? user, long? system) = ReadTimes();
            return new ThreadTimes(user, system, Cpu: null);
        }
    }

    public override string? AllowedCpuList
    {
        get
        {
            if (!IsOpen || !ProcessTopologyApi.GetThreadGroupAffinity(_thread, out GROUP_AFFINITY affinity)
                || affinity.Mask == 0)
            {
                return null;
            }

            var cpus = new List<int>();
            for (ulong mask = affinity.Mask; mask != 0; mask &= mask - 1)
            {
                cpus.Add((affinity.Group * CpusPerGroup) + BitOperations.TrailingZeroCount(mask));
            }

            return CpuList.Format(cpus);
        }
    }

    private bool IsOpen => !_thread.IsInvalid && !_thread.IsClosed;

    public override void Dispose() => _thread.Dispose();

    private static long Nanoseconds(FILETIME time) =>
        (((long)time.dwHighDateTime << 32) | time.dwLowDateTime) * NanosecondsPerStep;

    private (long? User, long? System) ReadTimes() =>
        IsOpen && ProcessThreadsApi.GetThreadTimes(_thread, out _, out _, out FILETIME system, out FILETIME user)
            ? (Nanoseconds(user), Nanoseconds(system))
            : (null, null);

    // A thread that can ask has used some cycles: a system that does not count them answers 0.
    private long? ReadCycles() =>
        IsOpen && RealtimeApi.QueryThreadCycleTime(_thread, out ulong cycles) && cycles > 0 ? (long)cycles : null;
}
