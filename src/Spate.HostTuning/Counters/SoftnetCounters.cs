using System.Collections.ObjectModel;
using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary><c>/proc/net/softnet_stat</c>, over the whole machine's online CPUs. Null where unknown.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct SoftnetCounters
{
    // The columns of softnet_seq_show in the kernel's net/core/net-procfs.c.
    private const int DroppedColumn = 1;
    private const int SqueezedColumn = 2;

    // Since Linux 5.10: rows are of the CPUs that are online, so their order does not tell.
    private const int CpuColumn = 12;

    /// <summary>A CPU's queue was full (<c>net.core.netdev_max_backlog</c>): loopback, veth, steering.</summary>
    public long? Dropped { get; init; }

    /// <summary>A CPU's budget was used up (<c>net.core.netdev_budget</c>). Nothing is lost by that.</summary>
    public long? Squeezed { get; init; }

    /// <summary>Null where either is unknown, or where a CPU went offline meanwhile.</summary>
    public static SoftnetCounters operator -(SoftnetCounters later, SoftnetCounters earlier) => new()
    {
        Dropped = CounterDelta.Narrow(later.Dropped, earlier.Dropped),
        Squeezed = CounterDelta.Narrow(later.Squeezed, earlier.Squeezed),
    };

    public static SoftnetCounters Subtract(SoftnetCounters later, SoftnetCounters earlier) => later - earlier;

    internal static SoftnetCounters Parse(ReadOnlySpan<byte> text) => new()
    {
        Dropped = FileText.SumOfHexColumn(text, DroppedColumn),
        Squeezed = FileText.SumOfHexColumn(text, SqueezedColumn),
    };

    /// <summary>By the CPU's number; empty where the rows do not name it.</summary>
    internal static IReadOnlyDictionary<int, SoftnetCounters> ParseCpus(ReadOnlySpan<byte> text)
    {
        var cpus = new Dictionary<int, SoftnetCounters>();
        foreach (Range range in text.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> row = text[range];
            if (FileText.HexNumber(FileText.WordAt(row, CpuColumn)) is { } number and <= int.MaxValue)
            {
                cpus[(int)number] = Parse(row);
            }
        }

        return cpus.Count > 0 ? cpus : ReadOnlyDictionary<int, SoftnetCounters>.Empty;
    }
}
