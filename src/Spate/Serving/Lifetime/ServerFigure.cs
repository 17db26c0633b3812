namespace Spate.Serving.Lifetime;

/// <summary>
/// What servers tell the meter. Its table of instruments names these by their numbers; ServerMeterTests compares.
/// </summary>
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
