namespace Spate.Serving.Sessions;

/// <summary>
/// A token bucket kept as one number, the time until which it is paid for (GCRA, ITU-T I.371): each admission pays one
/// interval, and a burst is how far that time may run ahead. A bucket that is not ahead is full, as if never used.
/// </summary>
/// <param name="perSecond">Admissions per second; null: no limit.</param>
/// <param name="burst">Admissions at once.</param>
/// <param name="stampsPerSecond">The unit of all times.</param>
internal readonly struct RateRule(int? perSecond, int burst, long stampsPerSecond)
{
    // Rounded up: a rate is never exceeded. Clocks have 10 MHz and more, so a million per second is met within 10 %.
    private readonly long _interval = perSecond is { } rate ? (stampsPerSecond + rate - 1) / rate : 0;
    private readonly int _burst = burst;

    public bool HasLimit => _interval != 0;

    public bool Allows(long paidUntil, long now) => paidUntil - now <= (_burst - 1) * _interval;

    public long Pay(long paidUntil, long now) => Math.Max(paidUntil, now) + _interval;
}
