namespace Spate.Serving.Lifetime;

/// <summary>What servers tell the meter, in the order in which its table of instruments counts them.</summary>
internal enum ServerFigure
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
