namespace Spate.Serving.Sessions;

/// <summary>
/// A token bucket that is kept as one number, the time up to which admissions are paid for (GCRA, ITU-T I.371). Each
/// admission adds one interval to that time. The burst limits how far that time may be in the future. A bucket whose
/// time is not in the future is full, as if it had never been used.
/// </summary>
/// <param name="perSecond">Admissions per second; null: no limit.</param>
/// <param name="burst">The number of admissions that may come at once from a full bucket.</param>
/// <param name="stampsPerSecond">The unit of all times, in time stamps per second.</param>
internal readonly struct RateRule(int? perSecond, int burst, long stampsPerSecond)
{
    // Rounded up, so that the rate is never exceeded. A clock of 10 MHz meets a million per second within 10 %.
    private readonly long _interval = perSecond is { } rate ? (stampsPerSecond + rate - 1) / rate : 0;
    private readonly int _burst = burst;

    public bool HasLimit => _interval != 0;

    public bool Allows(long paidUntil, long now) => paidUntil - now <= (_burst - 1) * _interval;

    public long Pay(long paidUntil, long now) => Math.Max(paidUntil, now) + _interval;
}
