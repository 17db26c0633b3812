namespace Spate.Serving.Sessions;

/// <summary>
/// Monotonic time in two units: time stamps for rates, and ticks for the age of sessions. A tick is a 64th of the idle
/// limit. A lookup writes the present tick to its session only if the session has another tick, so a session that is
/// looked up often is written at most once per tick.
/// </summary>
internal readonly struct SessionClock
{
    /// <summary>The number of ticks in an idle timeout.</summary>
    public const int TicksPerLimit = 64;

    private readonly TimeProvider _time;
    private readonly long _start;
    private readonly long _stampsPerTick;
    private readonly uint _firstTick;

    /// <param name="time">The clock.</param>
    /// <param name="idleTimeout">The duration of 64 ticks. Null means no limit; a tick is then one second.</param>
    /// <param name="firstTick">The number of the first tick. Tests begin with a number that soon wraps around.</param>
    public SessionClock(TimeProvider time, TimeSpan? idleTimeout, uint firstTick)
    {
        HasLimit = idleTimeout is not null;
        double tickSeconds = idleTimeout is { } limit ? limit.TotalSeconds / TicksPerLimit : 1;
        _time = time;
        _start = time.GetTimestamp();
        _stampsPerTick = Math.Max(1, (long)Math.Ceiling(tickSeconds * time.TimestampFrequency));
        _firstTick = firstTick;
    }

    public bool HasLimit { get; }

    /// <summary>Reads the time since the table was made, in time stamps of the clock.</summary>
    public long ReadStamps() => _time.GetTimestamp() - _start;

    /// <summary>Returns the tick of a time. Ticks wrap around, so compare two ticks by their difference.</summary>
    public uint TickOf(long stamps) => unchecked(_firstTick + (uint)(stamps / _stampsPerTick));
}
