namespace Spate.Measurement.Arithmetic;

/// <summary>Time stamps of a monotonic clock in nanoseconds, and waits by a clock.</summary>
internal static class ClockTime
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    /// <summary>A time stamp of the clock in nanoseconds, rounded down. On Linux the two are the same.</summary>
    public static long ToNanoseconds(this TimeProvider time, long ticks) =>
        time.TimestampFrequency == NanosecondsPerSecond
            ? ticks
            : (long)((Int128)ticks * NanosecondsPerSecond / time.TimestampFrequency);

    /// <summary>Waits on the calling thread, at most 49 days; true if the wait was cancelled.</summary>
    public static bool Wait(this TimeProvider time, TimeSpan length, CancellationToken cancellationToken)
    {
        _ = Task.WaitAny([Task.Delay(length, time, cancellationToken)], CancellationToken.None);
        return cancellationToken.IsCancellationRequested;
    }
}
