namespace Spate.Tests.Measurement.PathTest;

/// <summary>A clock that runs ten times as fast as the system's, so that limits of 30 s are reached in 3 s.</summary>
/// <param name="slowSeconds">The time from its making on for which it runs as the system's.</param>
internal sealed class FastTime(double slowSeconds = 0) : TimeProvider
{
    private const int Factor = 10;

    private readonly long _fastTicks = System.GetTimestamp() + (long)(slowSeconds * System.TimestampFrequency);

    public override long GetTimestamp()
    {
        long now = System.GetTimestamp();
        return now <= _fastTicks ? now : _fastTicks + (Factor * (now - _fastTicks));
    }
}
