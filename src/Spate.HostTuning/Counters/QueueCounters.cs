using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>
/// What one queueing discipline of an interface has counted, as <c>tc -s qdisc</c> prints it. A discipline counts what
/// the disciplines below it drop as its own drops too, so the drops of an interface are those of its root. Null where
/// the system does not tell.
/// </summary>
/// <param name="Interface">
/// The name of its interface, as <see cref="InterfaceCounters.Name"/> spells it.
/// </param>
/// <param name="Kind">Which discipline it is, for example <c>tbf</c>; spelled as names of interfaces are.</param>
/// <param name="Handle">Its own number as <c>tc</c> writes it, for example <c>8001:</c>; <c>0:</c> for none.</param>
/// <param name="Parent">
/// Where it hangs, as <c>tc</c> writes it: <c>root</c> for the one that the interface sends through, <c>8001:1</c> for
/// a class of another one, <c>ffff:fff1</c> for the one that sees what comes in.
/// </param>
internal sealed record QueueCounters(string Interface, string Kind, string Handle, string Parent)
{
    internal const string RootParent = "root";

    /// <summary>Whether the interface sends through this discipline: its drops include those below it.</summary>
    public bool IsRoot => string.Equals(Parent, RootParent, StringComparison.Ordinal);

    /// <summary>Packets that it has passed on, each datagram of a segmented send counted as one.</summary>
    public long? Packets { get; init; }

    /// <summary>Packets that it has dropped. A segmented send counts as one.</summary>
    public long? Drops { get; init; }

    /// <summary>How often a packet had to wait since the discipline's limit of speed was reached.</summary>
    public long? Overlimits { get; init; }

    /// <summary>How often a packet went back into the queue since the interface could not take it.</summary>
    public long? Requeues { get; init; }

    /// <summary>Packets that wait now. A difference of two readings has the later one's.</summary>
    public long? Qlen { get; init; }

    /// <summary>Bytes that wait now. A difference of two readings has the later one's.</summary>
    public long? BacklogBytes { get; init; }

    /// <summary>
    /// What was counted between two readings; null where either is unknown, or where the discipline has begun anew.
    /// </summary>
    public static QueueCounters operator -(QueueCounters later, QueueCounters earlier) => later with
    {
        Packets = CounterDelta.Narrow(later.Packets, earlier.Packets),
        Drops = CounterDelta.Narrow(later.Drops, earlier.Drops),
        Overlimits = CounterDelta.Narrow(later.Overlimits, earlier.Overlimits),
        Requeues = CounterDelta.Narrow(later.Requeues, earlier.Requeues),
    };

    /// <inheritdoc cref="op_Subtraction"/>
    public static QueueCounters Subtract(QueueCounters later, QueueCounters earlier) => later - earlier;
}
