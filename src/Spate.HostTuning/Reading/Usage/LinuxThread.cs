using System.Globalization;
using System.Text;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Usage;

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

    public static string FolderOf(int systemThreadId) =>
        string.Create(CultureInfo.InvariantCulture, $"proc/self/task/{systemThreadId}");

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
