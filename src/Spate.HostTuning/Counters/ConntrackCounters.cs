using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>
/// What connection tracking has counted in one network namespace: <c>/proc/net/stat/nf_conntrack</c>, summed over the
/// CPUs. It counts packets, a coalesced buffer being one. Null where the system does not tell.
/// </summary>
internal sealed record ConntrackCounters
{
    /// <summary>Packets dropped because they could not be tracked, above all because the table was full.</summary>
    public long? Drops { get; init; }

    /// <summary>Connections thrown out of a full table to make room. Nothing is lost by that.</summary>
    public long? EarlyDrops { get; init; }

    /// <summary>
    /// Connections that were not put into the table, since another packet had put in the same one; the packet is
    /// dropped unless the kernel resolves the clash.
    /// </summary>
    public long? InsertFailed { get; init; }

    /// <summary>How many connections the table holds now. A difference of two readings has the later one's.</summary>
    public long? Count { get; init; }

    /// <summary>
    /// How many connections the table may hold (<c>net.netfilter.nf_conntrack_max</c>). A difference of two readings
    /// has the later one's.
    /// </summary>
    public long? Max { get; init; }

    /// <summary>What was counted between two readings; null where either is unknown.</summary>
    public static ConntrackCounters operator -(ConntrackCounters later, ConntrackCounters earlier) => later with
    {
        Drops = CounterDelta.Narrow(later.Drops, earlier.Drops),
        EarlyDrops = CounterDelta.Narrow(later.EarlyDrops, earlier.EarlyDrops),
        InsertFailed = CounterDelta.Narrow(later.InsertFailed, earlier.InsertFailed),
    };

    /// <inheritdoc cref="op_Subtraction"/>
    public static ConntrackCounters Subtract(ConntrackCounters later, ConntrackCounters earlier) => later - earlier;

    /// <summary>Reads the table of counters, whose columns differ between kernels; null where there is none.</summary>
    internal static ConntrackCounters? Parse(ReadOnlySpan<byte> text, long? count, long? max)
    {
        int end = text.IndexOf((byte)'\n');
        ReadOnlySpan<byte> names = end < 0 ? default : text[..end];
        ReadOnlySpan<byte> rows = text[(end + 1)..];
        if (names.IsEmpty && count is null) return null;

        return new ConntrackCounters
        {
            Drops = FileText.SumOfHexColumn(rows, FileText.IndexOfWord(names, "drop"u8)),
            EarlyDrops = FileText.SumOfHexColumn(rows, FileText.IndexOfWord(names, "early_drop"u8)),
            InsertFailed = FileText.SumOfHexColumn(rows, FileText.IndexOfWord(names, "insert_failed"u8)),
            Count = count,
            Max = max,
        };
    }
}
