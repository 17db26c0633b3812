namespace Spate.Serving.Sessions;

/// <summary>
/// A token bucket that is stored as one number: the time up to which admissions are paid for (GCRA, ITU-T I.371). Each
/// admission adds one interval to that time. The burst limits how far that time may be in the future. If the time is
/// not in the future, the bucket has all its tokens, as if it had never been used.
/// </summary>
/// <param name="perSecond">The number of admissions per second; null for no limit.</param>
/// <param name="burst">The number of admissions that a bucket with all its tokens allows at once.</param>
/// <param name="stampsPerSecond">The frequency of the clock. All times are in time stamps of this clock.</param>
internal readonly struct RateRule(int? perSecond, int burst, long stampsPerSecond)
{
    // Rounded up, so that the rate is never exceeded. With a clock of 10 MHz and up to a million admissions per second,
    // rounding lowers the rate by at most 10 %.
    private readonly long _interval = perSecond is { } rate ? (stampsPerSecond + rate - 1) / rate : 0;
    private readonly int _burst = burst;

    public bool HasLimit => _interval != 0;

    public bool Allows(long paidUntil, long now) => paidUntil - now <= (_burst - 1) * _interval;

    public long Pay(long paidUntil, long now) => Math.Max(paidUntil, now) + _interval;
}
