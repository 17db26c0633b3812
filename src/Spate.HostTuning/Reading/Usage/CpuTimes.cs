using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// Nanoseconds since the start, in steps of 10 ms (proc_stat(5)). <c>User</c>: niced programs and guests too.
/// <c>Softirq</c>: all that the kernel does with arrivals up to the socket. <c>Steal</c>: the hypervisor ran others.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct CpuTimes(long User, long System, long Softirq, long Irq, long Steal, long Idle)
{
    public long Total => User + System + Softirq + Irq + Steal + Idle;

    /// <summary>Stolen time counts: the CPU could not take more work in it.</summary>
    public long Busy => Total - Idle;

    /// <summary>
    /// What was added between two readings. A part that went backwards is 0: the kernel's counts of idle time and of
    /// waiting for a disk do so at times, and all of them when a CPU is plugged in again (proc_stat(5)).
    /// </summary>
    public static CpuTimes operator -(CpuTimes later, CpuTimes earlier) => new(
        Math.Max(0, later.User - earlier.User),
        Math.Max(0, later.System - earlier.System),
        Math.Max(0, later.Softirq - earlier.Softirq),
        Math.Max(0, later.Irq - earlier.Irq),
        Math.Max(0, later.Steal - earlier.Steal),
        Math.Max(0, later.Idle - earlier.Idle));

    public static CpuTimes operator +(CpuTimes left, CpuTimes right) => new(
        left.User + right.User,
        left.System + right.System,
        left.Softirq + right.Softirq,
        left.Irq + right.Irq,
        left.Steal + right.Steal,
        left.Idle + right.Idle);
}

/// <summary>
/// <c>ReceiveInterrupts</c>: runs of NET_RX; null where unknown. A run takes up to 64 packets of each queue (NAPI), so
/// it tells where packets arrive, not how many.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct CpuUse(CpuTimes Times, long? ReceiveInterrupts)
{
    public static CpuUse operator -(CpuUse later, CpuUse earlier) => new(
        later.Times - earlier.Times,
        CounterDelta.Narrow(later.ReceiveInterrupts, earlier.ReceiveInterrupts));

    public static CpuUse operator +(CpuUse left, CpuUse right) =>
        new(left.Times + right.Times, left.ReceiveInterrupts + right.ReceiveInterrupts);
}

/// <summary>What CPUs do; in a container the host's, unless lxcfs hides it. One thread at a time.</summary>
internal sealed class CpuTimesReader : IDisposable
{
    // What show_stat of the kernel's fs/proc/stat.c counts in, on all processors that .NET runs on: USER_HZ is 100.
    private const long TickNanoseconds = 10_000_000;

    // The figures of a CPU up to its stolen time, and the most of each whose sum is no overflow.
    private const int Figures = 8;
    private const long MaxTicks = long.MaxValue / TickNanoseconds / Figures;

    // 8192 CPUs (NR_CPUS of the largest distribution kernels) have lines of some 100 characters in /proc/stat. In
    // /proc/softirqs they have 11 characters in each of 11 lines.
    private const int MaxFileBytes = 2 * 1024 * 1024;
    private const int UsualFileBytes = 16 * 1024;

    private readonly HostFile _stat;
    private readonly HostFile _softirqs;
    private byte[] _buffer = new byte[UsualFileBytes];

    public CpuTimesReader(string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        _stat = files.Open("proc/stat");
        _softirqs = files.Open("proc/softirqs");
    }

    public IReadOnlyDictionary<int, CpuUse> Read()
    {
        Dictionary<int, CpuTimes> times = ReadTimes();
        Dictionary<int, long> interrupts = ReadReceiveInterrupts();
        return times.ToDictionary(
            static one => one.Key,
            one => new CpuUse(one.Value, interrupts.TryGetValue(one.Key, out long count) ? count : null));
    }

    /// <summary>
    /// How long the hypervisor kept these CPUs from running, in nanoseconds since the start; null where unknown. The
    /// mean, without offline CPUs, compares with the time of one thread.
    /// </summary>
    public long? ReadMeanSteal(IReadOnlyList<int> cpuNumbers)
    {
        Dictionary<int, CpuTimes> times = ReadTimes();
        (long steal, int count) = (0, 0);
        foreach (int number in cpuNumbers)
        {
            if (times.TryGetValue(number, out CpuTimes one)) (steal, count) = (steal + one.Steal, count + 1);
        }

        return count == 0 ? null : steal / count;
    }

    public void Dispose()
    {
        _stat.Dispose();
        _softirqs.Dispose();
    }

    private Dictionary<int, CpuTimes> ReadTimes()
    {
        var times = new Dictionary<int, CpuTimes>();
        ReadOnlySpan<byte> stat = _stat.ReadAll(ref _buffer, MaxFileBytes);
        foreach (Range range in stat.Split((byte)'\n'))
        {
            // "cpu  ..." is the sum, "cpu0 ..." the first CPU; other lines follow.
            ReadOnlySpan<byte> line = stat[range];
            if (!line.StartsWith("cpu"u8)) break;

            if (FileText.Number(FileText.WordAt(line, 0)["cpu".Length..]) is { } number and >= 0 and <= int.MaxValue
                && Parse(line) is { } one)
            {
                times[(int)number] = one;
            }
        }

        return times;
    }

    private Dictionary<int, long> ReadReceiveInterrupts()
    {
        var counts = new Dictionary<int, long>();
        ReadOnlySpan<byte> text = _softirqs.ReadAll(ref _buffer, MaxFileBytes);
        int end = text.IndexOf((byte)'\n');
        int row = text.IndexOf("NET_RX:"u8);
        if (end < 0 || row < 0) return counts;

        ReadOnlySpan<byte> line = text[row..];
        line = line["NET_RX:".Length..(line.IndexOf((byte)'\n') is >= 0 and var stop ? stop : line.Length)];
        var values = new List<long>();
        foreach (Range range in line.Split((byte)' '))
        {
            if (FileText.Number(line[range]) is { } value) values.Add(value);
        }

        // The header names all CPUs that there may be, "CPU0 CPU1 ...", offline ones included.
        ReadOnlySpan<byte> header = text[..end];
        int column = 0;
        foreach (Range range in header.Split((byte)' '))
        {
            ReadOnlySpan<byte> word = header[range];
            if (!word.StartsWith("CPU"u8)) continue;

            if (column < values.Count && FileText.Number(word["CPU".Length..]) is { } number and <= int.MaxValue)
            {
                counts[(int)number] = values[column];
            }

            column++;
        }

        return counts;
    }

    // "cpu0 user nice system idle iowait irq softirq steal guest guest_nice"; the guests' time is in user and nice too.
    // Null for a damaged line.
    private static CpuTimes? Parse(ReadOnlySpan<byte> line)
    {
        Span<long> words = stackalloc long[Figures];
        int index = -1;
        foreach (Range range in line.Split((byte)' '))
        {
            ReadOnlySpan<byte> word = line[range];
            if (word.IsEmpty) continue;
            if (index >= words.Length) break;

            if (index >= 0)
            {
                if (FileText.Number(word) is not { } ticks) return null;

                words[index] = Math.Clamp(ticks, 0, MaxTicks);
            }

            index++;
        }

        return index < words.Length ? null : new CpuTimes(
            (words[0] + words[1]) * TickNanoseconds,
            words[2] * TickNanoseconds,
            words[6] * TickNanoseconds,
            words[5] * TickNanoseconds,
            words[7] * TickNanoseconds,
            (words[3] + words[4]) * TickNanoseconds);
    }
}

/// <summary>What a counter has counted between two readings; null where nothing sure can be said.</summary>
internal static class CounterDelta
{
    /// <summary>64 bits never wrap. A counter that went back was begun anew (its interface was made again).</summary>
    public static long? Wide(long? later, long? earlier) =>
        later - earlier is >= 0 and var difference ? difference : null;

    /// <summary>
    /// Of a counter of 32 bits, or of a sum of such counters. A sum falls by 2^32 when one of them wraps. A sum that
    /// fell by something else lost a part: a CPU went offline, or a queueing discipline was replaced. What is left of
    /// a wrap is less than half the range, so that the two can be told apart.
    /// </summary>
    public static long? Narrow(long? later, long? earlier)
    {
        if (later - earlier is not { } difference) return null;
        if (difference >= 0) return difference;

        uint wrapped = unchecked((uint)difference);
        return wrapped <= int.MaxValue ? wrapped : null;
    }
}

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
