using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary><c>/proc/net/stat/nf_conntrack</c> of a namespace, in packets over all CPUs; null where unknown.</summary>
internal sealed record ConntrackCounters
{
    /// <summary>Could not be tracked, above all because the table was full.</summary>
    public long? Drops { get; init; }

    /// <summary>Thrown out of a full table to make room. Nothing is lost by that.</summary>
    public long? EarlyDrops { get; init; }

    /// <summary>Another packet had put in the same one; dropped unless the kernel resolves the clash.</summary>
    public long? InsertFailed { get; init; }

    /// <summary>How many the table holds now. A difference has the later reading's.</summary>
    public long? Count { get; init; }

    /// <summary><c>net.netfilter.nf_conntrack_max</c>. A difference has the later reading's.</summary>
    public long? Max { get; init; }

    public static ConntrackCounters operator -(ConntrackCounters later, ConntrackCounters earlier) => later with
    {
        Drops = CounterDelta.Narrow(later.Drops, earlier.Drops),
        EarlyDrops = CounterDelta.Narrow(later.EarlyDrops, earlier.EarlyDrops),
        InsertFailed = CounterDelta.Narrow(later.InsertFailed, earlier.InsertFailed),
    };

    public static ConntrackCounters Subtract(ConntrackCounters later, ConntrackCounters earlier) => later - earlier;

    /// <summary>The columns differ between kernels; null where there is no table.</summary>
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
