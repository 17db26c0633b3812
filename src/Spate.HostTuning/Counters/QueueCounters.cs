using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>A queueing discipline, as <c>tc -s qdisc</c> prints it: its drops include those below.</summary>
/// <param name="Handle">As <c>tc</c> writes it, for example <c>8001:</c>; <c>0:</c> for none.</param>
/// <param name="Parent">As <c>tc</c> writes it: <c>root</c>, <c>8001:1</c>, <c>ffff:fff1</c> for arrivals.</param>
internal sealed record QueueCounters(string Interface, string Kind, string Handle, string Parent)
{
    internal const string RootParent = "root";

    /// <summary>The interface sends through it, so its drops include those below it.</summary>
    public bool IsRoot => string.Equals(Parent, RootParent, StringComparison.Ordinal);

    /// <summary>Each datagram of a segmented send counts as one.</summary>
    public long? Packets { get; init; }

    /// <summary>A segmented send counts as one.</summary>
    public long? Drops { get; init; }

    public long? Overlimits { get; init; }

    public long? Requeues { get; init; }

    /// <summary>Packets that wait now. A difference has the later reading's.</summary>
    public long? Qlen { get; init; }

    /// <summary>Waiting now. A difference has the later reading's.</summary>
    public long? BacklogBytes { get; init; }

    /// <summary>Null where either is unknown, or where the discipline has begun anew.</summary>
    public static QueueCounters operator -(QueueCounters later, QueueCounters earlier) => later with
    {
        Packets = CounterDelta.Narrow(later.Packets, earlier.Packets),
        Drops = CounterDelta.Narrow(later.Drops, earlier.Drops),
        Overlimits = CounterDelta.Narrow(later.Overlimits, earlier.Overlimits),
        Requeues = CounterDelta.Narrow(later.Requeues, earlier.Requeues),
    };

    public static QueueCounters Subtract(QueueCounters later, QueueCounters earlier) => later - earlier;
}
