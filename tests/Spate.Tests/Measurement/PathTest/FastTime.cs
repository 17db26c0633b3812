namespace Spate.Tests.Measurement.PathTest;

/// <summary>A clock that runs ten times as fast as the system's, so that limits of 30 s are reached in 3 s.</summary>
/// <param name="slowSeconds">The time from its making on for which it runs as the system's.</param>
/// <param name="fastSeconds">Its fast time, in its own seconds; after it, it runs as the system's again.</param>
internal sealed class FastTime(double slowSeconds = 0, double fastSeconds = 86_400) : TimeProvider
{
    private const int Factor = 10;

    private readonly long _fastTicks = System.GetTimestamp() + (long)(slowSeconds * System.TimestampFrequency);
    private readonly long _maxGainTicks = (long)(fastSeconds * System.TimestampFrequency) / Factor * (Factor - 1);

    public override long GetTimestamp()
    {
        long now = System.GetTimestamp();
        return now + Math.Clamp((Factor - 1) * (now - _fastTicks), 0, _maxGainTicks);
    }
}
