namespace Spate.Measurement.Arithmetic;

/// <summary>Time stamps of a monotonic clock in nanoseconds.</summary>
internal static class ClockTime
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <summary>A time stamp of the clock in nanoseconds, rounded down. On Linux the two are the same.</summary>
    public static long ToNanoseconds(this TimeProvider time, long ticks) =>
        time.TimestampFrequency == NanosecondsPerSecond
            ? ticks
            : (long)((Int128)ticks * NanosecondsPerSecond / time.TimestampFrequency);
}
