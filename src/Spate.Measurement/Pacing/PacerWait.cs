using System.Text.Json.Serialization;
using Spate.Measurement.Interop.Linux;

namespace Spate.Measurement.Pacing;

/// <summary>Waits for a time stamp of a <see cref="RatePacer"/>. Not thread-safe: one per thread.</summary>
internal abstract class PacerWait
{
    /// <summary>
    /// The rate of one thread, in datagrams per second, from which on <see cref="ModeFor"/> chooses
    /// <see cref="PaceMode.Spin"/>. A thread that spins takes a whole CPU at every rate. One that sleeps took 11 % at
    /// 50,000, 47 % at a million and 85 to 93 % at 2 million datagrams of 64 bytes per second (2-CPU virtual machine,
    /// Linux 6.18), and saves nothing worth its bursts above that.
    /// </summary>
    public const double MinSpinDatagramsPerSecond = 2_000_000;

    /// <summary>The longest time whose datagrams may leave at once, in seconds: a pacer's burst time.</summary>
    public virtual double BurstSeconds => RatePacer.BurstSeconds;

    /// <summary>In seconds: what is due in it is worth one wait; 0 for waits that are exact.</summary>
    public virtual double GroupSeconds => 0;

    /// <summary>In seconds: how early datagrams are handed over; 0 unless the system keeps times.</summary>
    public virtual double LeadSeconds => 0;

    /// <summary>In seconds; 0 where datagrams carry no time to leave.</summary>
    public virtual double SharedTimeSeconds => 0;

    /// <summary>The way to wait where the user names none, for the rate of one thread.</summary>
    public static PaceMode ModeFor(double datagramsPerSecond) =>
        OperatingSystem.IsLinux() && Environment.ProcessorCount > 1 && datagramsPerSecond >= MinSpinDatagramsPerSecond
            ? PaceMode.Spin
            : PaceMode.Sleep;

    /// <summary>Makes a wait. Ticks are the clock's time stamps; only the system's can be slept on exactly.</summary>
    public static PacerWait Create(PaceMode mode, TimeProvider? timeProvider = null)
    {
        TimeProvider time = timeProvider ?? TimeProvider.System;
        return mode == PaceMode.Spin ? new SpinningWait(time)
            : SleepingWait.IsPossibleOn(time) ? new SleepingWait(isAhead: mode == PaceMode.Txtime)
            : new TimerWait(time);
    }

    /// <summary>At once if the time has come; false if cancelled. Not all waits use the tolerance.</summary>
    public abstract bool Until(long untilTicks, long toleranceTicks, CancellationToken cancellationToken = default);
}

/// <summary>How a sender waits for the moment at which datagrams are due.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<PaceMode>))]
internal enum PaceMode
{
    /// <summary>
    /// The thread sleeps until the datagrams of 250 µs are due, and sends them at once. It costs little CPU time. A
    /// sleep that ends late is made up for with bursts of at most 500 µs, larger ones from a delay of
    /// <see cref="RatePacer.SmoothSeconds"/> on. Linux; elsewhere it sleeps in whole milliseconds, spins for the rest,
    /// and sends bursts of at most 1 ms.
    /// </summary>
    Sleep,

    /// <summary>The thread looks at the clock until the next datagram is due. It takes a whole CPU.</summary>
    Spin,

    /// <summary>
    /// The thread hands datagrams over a millisecond ahead, in GSO messages of at most 50 µs. Each GSO message carries
    /// the time at which it is to leave (SO_TXTIME), and the queueing discipline fq of the interface keeps it. Linux,
    /// where <see cref="TransmitTimeOffer"/> finds fq on the way to the target.
    /// </summary>
    Txtime,
}

/// <summary>Looks at the clock until the moment has come. It is exact and takes a whole CPU.</summary>
internal sealed class SpinningWait(TimeProvider time) : PacerWait
{
    // A spin of 10 normalised iterations takes under 1 µs, which is what the tightest interval needs.
    private const int SpinIterations = 10;

    public override double BurstSeconds => SleepingWait.MaxBurstSeconds;

    public override bool Until(long untilTicks, long toleranceTicks, CancellationToken cancellationToken = default)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            if (time.GetTimestamp() >= untilTicks) return true;

            SpinOnce();
        }

        return false;
    }

    /// <summary>Passes a moment under 1 µs without giving the CPU back, unless there is only one.</summary>
    internal static void SpinOnce()
    {
        if (Environment.ProcessorCount == 1)
        {
            Thread.Yield(); // the receiver needs the one CPU
        }
        else
        {
            Thread.SpinWait(SpinIterations);
        }
    }
}

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

/// <summary>
/// Sleeps while a millisecond or more is left, because .NET cannot sleep for less, and spins for the rest. It measures
/// how late sleeps end and makes the next sleep shorter by that. At low rates, where the tolerance is large, a wait
/// only sleeps and costs no CPU; at high rates it only spins and is exact. It serves systems other than Linux, and
/// clocks other than the system's.
/// </summary>
internal sealed class TimerWait : PacerWait
{
    private const int MaxSleepMilliseconds = 1_000_000_000;

    private readonly TimeProvider _time;
    private readonly Func<int, CancellationToken, bool> _sleep;
    private readonly Action _spin;
    private readonly long _ticksPerMillisecond;
    private long _oversleepTicks;

    public TimerWait(TimeProvider time)
        : this(time, Sleep, SpinningWait.SpinOnce)
    {
    }

    internal TimerWait(TimeProvider time, Func<int, CancellationToken, bool> sleep, Action spin)
    {
        _time = time;
        _sleep = sleep;
        _spin = spin;
        _ticksPerMillisecond = Math.Max(1, time.TimestampFrequency / 1000);
    }

    public override bool Until(long untilTicks, long toleranceTicks, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(toleranceTicks);
        bool slept = false;
        while (!cancellationToken.IsCancellationRequested)
        {
            long now = _time.GetTimestamp();
            if (now >= untilTicks)
            {
                // A wait that only spun has measured no sleep. Without this decay one bad sleep would rule out sleeping
                // for ever.
                _oversleepTicks -= slept ? 0 : _oversleepTicks / 64;
                return true;
            }

            long milliseconds = (untilTicks - now + toleranceTicks - _oversleepTicks) / _ticksPerMillisecond;
            if (milliseconds > 0)
            {
                slept = true;
                SleepMeasured(now, (int)Math.Min(milliseconds, MaxSleepMilliseconds), cancellationToken);
            }
            else
            {
                _spin();
            }
        }

        return false;
    }

    private void SleepMeasured(long now, int milliseconds, CancellationToken cancellationToken)
    {
        if (_sleep(milliseconds, cancellationToken))
        {
            return; // a cancelled sleep tells nothing about delays
        }

        // The largest recent delay, with decay: after one bad sleep (a busy host, Windows' 15.6 ms clock) only the next
        // sleeps are careful, not all that follow.
        long late = _time.GetTimestamp() - now - (milliseconds * _ticksPerMillisecond);
        _oversleepTicks = Math.Max(late, _oversleepTicks - (_oversleepTicks / 8));
    }

    private static bool Sleep(int milliseconds, CancellationToken cancellationToken) =>
        cancellationToken.WaitHandle.WaitOne(milliseconds);
}
