namespace Spate.Diagnostics;

/// <summary>
/// The totals that a server reports to the meter; each value is an index into a server's array of totals.
/// </summary>
internal enum ServerMetric
{
    Threads,
    Handled,
    Faults,
    Sessions,
    FaultedDrops,
    FullChannelDrops,
    UnreadChannelDrops,
    ReplyDrops,
    StopDrops,
    RefusedFull,
    RefusedByPrefix,
    RefusedByRate,
}
