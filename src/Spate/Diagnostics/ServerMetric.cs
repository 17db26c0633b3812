namespace Spate.Diagnostics;

/// <summary>What servers tell the meter: each is a place in the array of a server's totals.</summary>
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
