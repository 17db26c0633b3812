using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>How long a used-up quota (<c>cpu.max</c>) kept this process from running. One thread at a time.</summary>
internal sealed class CpuThrottleMeter : IDisposable
{
    private const int MaxFileBytes = 4096;
    private const long NanosecondsPerMicrosecond = 1000;

    private readonly HostFile[] _files;
    private long?[] _last;

    /// <summary>Reads <c>cpu.stat</c> of v1 and v2 and measures from now on; nothing where there is none.</summary>
    public CpuThrottleMeter(string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        _files =
        [
            .. ControlGroups.CpuPaths(files)
                .SelectMany(static group =>
                    (string[])[$"sys/fs/cgroup/{group}cpu.stat", $"sys/fs/cgroup/cpu/{group}cpu.stat"])
                .Where(path => files.Exists(path))
                .Select(path => files.Open(path)),
        ];
        _last = ReadAll();
    }

    /// <summary>
    /// Nanoseconds since the last call, over the CPUs of the group; null where no group counts them. Of several groups
    /// the largest counts, since one stop may count in more than one.
    /// </summary>
    public long? Take()
    {
        long?[] now = ReadAll();
        long? max = null;
        for (int i = 0; i < now.Length; i++)
        {
            if (now[i] - _last[i] is { } added) max = Math.Max(max ?? 0, added);
        }

        _last = now;
        return max;
    }

    public void Dispose() => Array.ForEach(_files, static file => file.Dispose());

    private long?[] ReadAll() => [.. _files.Select(static file => Read(file))];

    // "throttled_usec" (cgroup-v2.rst) or "throttled_time" in nanoseconds (sched-bwc.rst).
    private static long? Read(HostFile file)
    {
        Span<byte> buffer = stackalloc byte[MaxFileBytes];
        ReadOnlySpan<byte> text = file.Read(buffer);
        return FileText.NumberAfter(text, "throttled_usec "u8) * NanosecondsPerMicrosecond
            ?? FileText.NumberAfter(text, "throttled_time "u8);
    }
}
