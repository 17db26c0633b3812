namespace Spate.Measurement.Pacing;

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
