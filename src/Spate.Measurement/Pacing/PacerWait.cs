namespace Spate.Measurement.Pacing;

/// <summary>
/// Waits for a time stamp: it sleeps while there is a millisecond or more to go, since no system sleeps for less
/// through .NET, and spins through the rest. How late sleeps end is measured and taken off the next one, so a wait
/// with some tolerance, as at low rates, is all sleep and costs no CPU, and one at high rates is all spin and exact.
/// Not thread-safe: one per thread.
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

    /// <summary>A wait on a clock.</summary>
    /// <param name="timeProvider">Its time stamps are the ticks; null is the system's clock.</param>
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
                // A wait that spun tells nothing about sleeps; without this, one bad sleep would forbid them for ever.
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
            return; // cancelled: it says nothing about the length of sleeps
        }

        // The worst of late, decaying: one bad sleep (a busy host, Windows' 15.6 ms clock) makes the next ones careful,
        // not all that follow.
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
