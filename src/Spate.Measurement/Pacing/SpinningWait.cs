namespace Spate.Measurement.Pacing;

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
