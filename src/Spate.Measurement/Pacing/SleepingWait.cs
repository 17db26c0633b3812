using Spate.Measurement.Interop.Linux;

namespace Spate.Measurement.Pacing;

/// <summary>
/// Sleeps until the moment has come, by clock_nanosleep(2) with an absolute time: a sleep that ends late does not shift
/// the next one. Linux. It sets the timer slack of the thread that sleeps to 1 ns, for good: with the default of 50 µs
/// the kernel may end every sleep that much later (prctl(2), PR_SET_TIMERSLACK).
/// </summary>
/// <param name="isAhead">Whether datagrams are handed over with their time to leave.</param>
internal sealed class SleepingWait(bool isAhead) : PacerWait
{
    public const double MaxBurstSeconds = 0.000_500;

    // Half of the burst, so that a sleep may end 250 µs late, each time, and the rate is kept all the same.
    private const double SleepSeconds = MaxBurstSeconds / 2;

    // Far more than a sleep is late on a machine that is not overloaded, and far below the horizon of fq, 10 s, beyond
    // which it drops what it is given (tc-fq(8)).
    private const double AheadSeconds = 0.001;
    private const double MaxSharedTimeSeconds = 0.000_050;

    private const long NanosecondsPerSecond = 1_000_000_000;

    // Nothing wakes the sleeper when its token is cancelled: it looks itself, so often.
    private const long MaxSleepNanoseconds = NanosecondsPerSecond / 10;

    private bool _hasSetSlack;

    public override double BurstSeconds => MaxBurstSeconds;

    public override double GroupSeconds => SleepSeconds;

    public override double LeadSeconds => isAhead ? AheadSeconds : 0;

    public override double SharedTimeSeconds => isAhead ? MaxSharedTimeSeconds : 0;

    /// <summary>.NET's time stamps are those of CLOCK_MONOTONIC in nanoseconds on Linux.</summary>
    public static bool IsPossibleOn(TimeProvider time) => OperatingSystem.IsLinux()
        && time == TimeProvider.System && time.TimestampFrequency == NanosecondsPerSecond;

    public override bool Until(long untilTicks, long toleranceTicks, CancellationToken cancellationToken = default)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            long now = TimeProvider.System.GetTimestamp();
            if (now >= untilTicks) return true;

            SleepUntil(Math.Min(untilTicks, now + MaxSleepNanoseconds));
        }

        return false;
    }

    private void SleepUntil(long nanoseconds)
    {
        if (!_hasSetSlack)
        {
            // A failure costs exactness only.
            _ = Prctl.prctl(Prctl.PR_SET_TIMERSLACK, 1, 0, 0, 0);
            _hasSetSlack = true;
        }

        var until = new timespec
        {
            tv_sec = nanoseconds / NanosecondsPerSecond,
            tv_nsec = nanoseconds % NanosecondsPerSecond,
        };

        // A signal ends it early (EINTR), and the caller looks at the clock again.
        _ = Time.clock_nanosleep(Time.CLOCK_MONOTONIC, Time.TIMER_ABSTIME, in until, 0);
    }
}
