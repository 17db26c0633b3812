namespace Spate.HostTuning.Reading.Usage;

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
