using Spate.HostTuning.Checks;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Watch;

/// <summary>Watches the counters of this host, interval by interval. Nothing is changed.</summary>
internal static class WatchRun
{
    // A timer takes at most uint.MaxValue milliseconds, some 49 days.
    private static readonly TimeSpan MaxWait = TimeSpan.FromDays(1);

    /// <summary>
    /// Watches until the end that the options name, or until cancelled; both are a normal end. Blocks the calling
    /// thread, whose network namespace is watched.
    /// </summary>
    /// <param name="onInterval">Called with the report of every interval, on the calling thread.</param>
    public static WatchReport Run(
        WatchOptions options, Action<WatchReport> onInterval, TimeProvider time, CancellationToken cancellationToken)
    {
        using var watch = new CounterWatch(options.Request, time, options.ShowsAllCores);
        long startTicks = time.GetTimestamp();
        TimeSpan due = options.Interval;
        long lastTicks = startTicks;
        double reported = 0;
        int count = 0;
        while (!(count >= options.IntervalCount) && WaitForInterval())
        {
            Report();

            // A reading that took longer than an interval is not made up for by shorter ones.
            due += options.Interval;
            if (due < time.GetElapsedTime(startTicks)) due = time.GetElapsedTime(startTicks) + options.Interval;
        }

        // The rest of the time, if it is long enough for a rate.
        bool hasRest = options.Interval > TimeSpan.Zero && !(count >= options.IntervalCount);
        if (hasRest && time.GetElapsedTime(lastTicks).TotalSeconds >= IntervalReport.MinRateSeconds) Report();

        return watch.TakeWhole();

        void Report()
        {
            WatchReport report = watch.Take();
            (report.Interval, report.StartSeconds) = (++count, reported);
            reported += report.Seconds;
            onInterval(report);
            lastTicks = time.GetTimestamp();
        }

        // False at the end of the run.
        bool WaitForInterval()
        {
            while (true)
            {
                TimeSpan now = time.GetElapsedTime(startTicks);
                bool isInterval = options.Interval > TimeSpan.Zero && !(due > options.Duration);
                TimeSpan? wait = isInterval ? due - now : options.Duration - now;
                if (wait <= TimeSpan.Zero) return isInterval;

                if (time.Wait(wait < MaxWait ? wait.Value : MaxWait, cancellationToken)) return false;
            }
        }
    }
}

/// <summary>What is watched, how often and for how long.</summary>
internal sealed record WatchOptions
{
    /// <summary>The host's part; its duration and its targets are not used.</summary>
    public CheckOptions Request { get; init; } = new();

    /// <summary>The time between two reports, 1 s by default; zero for the report of the whole time only.</summary>
    public TimeSpan Interval { get; init; } = IntervalReport.DefaultInterval;

    public TimeSpan? Duration { get; init; }

    public long? IntervalCount { get; init; }

    public bool ShowsAllCores { get; init; }
}
