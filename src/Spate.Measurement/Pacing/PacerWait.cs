namespace Spate.Measurement.Pacing;

/// <summary>
/// Waits for a time stamp. It sleeps while a millisecond or more is left, because .NET cannot sleep for less, and spins
/// for the rest. It measures how late sleeps end and makes the next sleep shorter by that. At low rates, where the
/// tolerance is large, a wait only sleeps and costs no CPU; at high rates it only spins and is exact. Not thread-safe:
/// one per thread.
/// </summary>
public sealed class PacerWait
{
    // A spin of 10 normalised iterations takes under 1 µs, which is what the tightest interval needs.
    private const int SpinIterations = 10;
    private const int MaxSleepMilliseconds = 1_000_000_000;

    private readonly TimeProvider _time;
    private readonly Func<int, CancellationToken, bool> _sleep;
    private readonly Action _spin;
    private readonly long _ticksPerMillisecond;
    private long _oversleepTicks;

    /// <summary>Makes a wait on a clock.</summary>
    /// <param name="timeProvider">The clock; null for the system's. Ticks are its time stamps.</param>
    public PacerWait(TimeProvider? timeProvider = null)
        : this(timeProvider ?? TimeProvider.System, Sleep, Spin)
    {
    }

    internal PacerWait(TimeProvider time, Func<int, CancellationToken, bool> sleep, Action spin)
    {
        _time = time;
        _sleep = sleep;
        _spin = spin;
        _ticksPerMillisecond = Math.Max(1, time.TimestampFrequency / 1000);
    }

    /// <summary>Waits until the clock has reached a time stamp; returns at once if it has.</summary>
    /// <param name="untilTicks">The time stamp, as <see cref="RatePacer.NextTicks"/>.</param>
    /// <param name="toleranceTicks">
    /// How late the wait may end, as <see cref="RatePacer.ToleranceTicks"/>; 0 spins more.
    /// </param>
    /// <param name="cancellationToken">Ends the wait early.</param>
    /// <returns>False if the wait was cancelled.</returns>
    public bool Until(long untilTicks, long toleranceTicks, CancellationToken cancellationToken = default)
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

    private static void Spin()
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
