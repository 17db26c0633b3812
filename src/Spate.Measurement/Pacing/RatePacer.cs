namespace Spate.Measurement.Pacing;

/// <summary>
/// Says how many datagrams may leave now so that a rate is kept. Pure arithmetic over time stamps: it never waits and
/// reads no clock. Two limits hold together (the virtual scheduling of ITU-T I.371, twice): a schedule that does not
/// drift, datagram n being due at n / rate, and a peak that lets at most <see cref="BurstDatagrams"/> leave at once and
/// <see cref="CatchUpFactor"/> times the rate after that. So datagrams that a stall delayed leave smoothly, not in one
/// burst. Behind its schedule by more than <see cref="SmoothSeconds"/>, the burst grows with every further moment of
/// delay, up to <see cref="MaxLateBurstSeconds"/> and <see cref="MaxLateBurstDatagrams"/>: on a host so busy that one
/// wait after the other ends late, a small burst would cost the rate. Not thread-safe: one pacer per sending thread.
/// </summary>
internal sealed class RatePacer
{
    /// <summary>
    /// The factor on the rate while a delay is made up for. With it, stalls may take a fifth of the time.
    /// </summary>
    public const double CatchUpFactor = 1.25;

    /// <summary>
    /// The longest time whose datagrams leave at once, in seconds, where the constructor is not given another one.
    /// </summary>
    public const double BurstSeconds = 0.001;

    /// <summary>
    /// The longest stall that is made up for, in seconds. What a longer stall delays beyond that counts as
    /// <see cref="Skipped"/>.
    /// </summary>
    public const double BacklogSeconds = 0.25;

    /// <summary>The delay up to which the burst stays as it is, in seconds.</summary>
    public const double SmoothSeconds = 0.010;

    /// <summary>
    /// The longest time whose datagrams leave at once because they are late, in seconds. They are those of
    /// <see cref="CatchUpFactor"/> times the rate.
    /// </summary>
    public const double MaxLateBurstSeconds = 0.010;

    /// <summary>
    /// How many datagrams leave at once because they are late, at most, where the constructor is not given another
    /// number. A receiver with Linux' default buffer, 212,992 bytes, holds 92 of 1500 bytes, for each of which the
    /// kernel charges 2304.
    /// </summary>
    public const int MaxLateBurstDatagrams = 64;

    /// <summary>The lowest rate, in datagrams per second.</summary>
    public const double MinRate = 0.001;

    /// <summary>The highest rate that is paced, in datagrams per second; above it only infinity is allowed.</summary>
    public const double MaxRate = 1e9;

    // Times are ticks with this many binary places, so that the rounding of the interval stays below one in 10^9 of it
    // at any rate; 128 bits hold both a fraction and years.
    private const int FractionBits = 32;

    private readonly long _startTicks;
    private readonly Int128 _interval;
    private readonly Int128 _peakInterval;
    private readonly Int128 _burstTolerance;
    private readonly Int128 _maxLateTolerance;
    private readonly Int128 _smooth;
    private readonly long _maxBacklog;
    private readonly long _maxLate;
    private Int128 _due;
    private Int128 _grantedDue;
    private Int128 _peak;

    /// <summary>Makes a pacer whose first datagram is due at the start.</summary>
    /// <param name="datagramsPerSecond">
    /// From <see cref="MinRate"/> to <see cref="MaxRate"/>, or <see cref="double.PositiveInfinity"/> for no limit.
    /// </param>
    /// <param name="startTicks">The time stamp at which the schedule begins.</param>
    /// <param name="ticksPerSecond">
    /// How many ticks make a second, as <see cref="TimeProvider.TimestampFrequency"/>.
    /// </param>
    /// <param name="burstSeconds">
    /// The longest time whose datagrams leave at once, in seconds; over 0, at most <see cref="BacklogSeconds"/>.
    /// </param>
    /// <param name="lateBurstDatagrams">
    /// How many datagrams leave at once because they are late, at most; from 1. More do where the burst time has more.
    /// </param>
    public RatePacer(
        double datagramsPerSecond,
        long startTicks,
        long ticksPerSecond,
        double burstSeconds = BurstSeconds,
        int lateBurstDatagrams = MaxLateBurstDatagrams)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(lateBurstDatagrams);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(burstSeconds);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(burstSeconds, BacklogSeconds);
        ArgumentOutOfRangeException.ThrowIfLessThan(ticksPerSecond, 1000);
        IsUnlimited = double.IsPositiveInfinity(datagramsPerSecond);
        if (!IsUnlimited && !(datagramsPerSecond is >= MinRate and <= MaxRate))
        {
            throw new ArgumentOutOfRangeException(
                nameof(datagramsPerSecond),
                datagramsPerSecond,
                $"The rate must be from {MinRate} to {MaxRate} datagrams per second, or infinite.");
        }

        DatagramsPerSecond = datagramsPerSecond;
        _startTicks = startTicks;
        if (IsUnlimited)
        {
            BurstDatagrams = int.MaxValue;
            return;
        }

        double interval = ticksPerSecond / datagramsPerSecond * (1L << FractionBits);
        BurstDatagrams = Math.Max(1, (int)Math.Ceiling(datagramsPerSecond * burstSeconds));
        _interval = (Int128)Math.Round(interval);
        _peakInterval = (Int128)Math.Round(interval / CatchUpFactor);
        _maxBacklog = (long)Math.Max(BurstDatagrams, datagramsPerSecond * BacklogSeconds);
        _maxLate = (long)Math.Min(
            ticksPerSecond / datagramsPerSecond / 2, ticksPerSecond * burstSeconds);

        // A datagram that left late within the tolerance must not delay the next one, which may be on time.
        _burstTolerance = ((BurstDatagrams - 1) * _peakInterval) + ((Int128)_maxLate << FractionBits);
        _smooth = (Int128)(ticksPerSecond * SmoothSeconds * (1L << FractionBits));
        _maxLateTolerance = Int128.Min(
            (Int128)(ticksPerSecond * MaxLateBurstSeconds * (1L << FractionBits)),
            (lateBurstDatagrams - 1) * _peakInterval);
    }

    /// <summary>The rate asked for; infinite when there is no limit.</summary>
    public double DatagramsPerSecond { get; }

    /// <summary>
    /// The rate that is paced for any rate above 0. One datagram in a quarter of an hour is as good as none, and beyond
    /// the highest rate a limit makes no difference.
    /// </summary>
    internal static double InRange(double datagramsPerSecond) =>
        datagramsPerSecond > MaxRate ? double.PositiveInfinity : Math.Max(MinRate, datagramsPerSecond);

    /// <summary>Whether no rate is kept: all datagrams asked for are due at once.</summary>
    public bool IsUnlimited { get; }

    /// <summary>
    /// How many datagrams may leave at once unless they are late by more than <see cref="SmoothSeconds"/>: those of the
    /// burst time, rounded up. So the first and the last of them lie less than the burst time apart in the schedule.
    /// </summary>
    public int BurstDatagrams { get; }

    /// <summary>Ticks from one datagram to the next in the schedule; 0 where there is no limit.</summary>
    public double IntervalTicks => (double)_interval / (1L << FractionBits);

    /// <summary>
    /// The time stamp at which the first datagram of the latest grant was due; those after it were due at intervals of
    /// <see cref="IntervalTicks"/>. The start until something was granted.
    /// </summary>
    public long GrantedDueTicks => _startTicks + (long)(_grantedDue >> FractionBits);

    /// <summary>
    /// How late a wait for <see cref="NextTicks"/> may end without harm, in ticks: half an interval, but at most the
    /// burst time.
    /// The schedule does not drift by it. The tolerance is smaller, down to 0, while a stall is made up for.
    /// </summary>
    public long ToleranceTicks
    {
        get
        {
            Int128 behind = Int128.Max(0, WhenAllowed(_peak) - _due) >> FractionBits;
            return (long)Int128.Max(0, _maxLate - behind);
        }
    }

    /// <summary>Datagrams granted so far.</summary>
    public long Granted { get; private set; }

    /// <summary>Datagrams given up because a stall was longer than <see cref="BacklogSeconds"/>.</summary>
    public long Skipped { get; private set; }

    /// <summary>The time stamp at which the next datagram may leave; it may be in the past.</summary>
    public long NextTicks => TicksOf(1);

    /// <summary>
    /// Grants the datagrams that may leave now. What is granted counts as sent; a caller that could not hand all of
    /// them to the system sends the rest before it asks again.
    /// </summary>
    /// <param name="nowTicks">The time stamp of now; a clock that ran backwards grants nothing.</param>
    /// <param name="maxCount">The most datagrams that the caller can send, at least 0.</param>
    /// <param name="endTicks">
    /// The time stamp at which the schedule ends. Datagrams that were due before it are granted after it too.
    /// </param>
    /// <returns>
    /// From 0 to <paramref name="maxCount"/>; at least 1 from <see cref="NextTicks"/> on, until the schedule ends.
    /// </returns>
    public int Due(long nowTicks, int maxCount, long endTicks = long.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(maxCount);
        int granted = maxCount;
        if (!IsUnlimited)
        {
            Int128 now = Fixed(nowTicks);
            Int128 dueBy = Int128.Min(now, Fixed(endTicks - 1));
            granted = (int)Math.Min(maxCount, Allowed(now, dueBy));
            if (granted > 0)
            {
                _grantedDue = _due;
                _due += granted * _interval;
                _peak = Int128.Max(_peak, now) + (granted * _peakInterval);
            }
        }

        Granted += granted;
        return granted;
    }

    /// <summary>Whether datagrams that are due before this time stamp have not been granted yet.</summary>
    public bool HasDueBefore(long endTicks) => !IsUnlimited && _due <= Fixed(endTicks - 1);

    /// <summary>The time stamp at which so many datagrams may leave at once; it may be in the past.</summary>
    /// <param name="datagramCount">From 1; more than <see cref="BurstDatagrams"/> are not waited for.</param>
    public long TicksOf(int datagramCount)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(datagramCount, 1);
        if (IsUnlimited) return long.MinValue;

        int further = Math.Min(datagramCount, BurstDatagrams) - 1;
        Int128 ticks = Int128.Max(
            _due + (further * _interval), WhenAllowed(_peak + (further * _peakInterval)));
        Int128 roundUp = (Int128.One << FractionBits) - 1;
        return _startTicks + (long)((ticks + roundUp) >> FractionBits);
    }

    private long Allowed(Int128 now, Int128 dueBy)
    {
        if (dueBy < _due || now < WhenAllowed(_peak)) return 0;

        Int128 tolerance = Tolerance(now);
        long backlog = (long)((dueBy - _due) / _interval) + 1;
        if (backlog > _maxBacklog)
        {
            Skipped += backlog - _maxBacklog;
            _due += (backlog - _maxBacklog) * _interval;
            backlog = _maxBacklog;
        }

        Int128 peak = Int128.Max(_peak, now);
        return Math.Min(backlog, (long)((now + tolerance - peak) / _peakInterval) + 1);
    }

    private Int128 Fixed(long ticks) => ((Int128)ticks - _startTicks) << FractionBits;

    /// <summary>How far the peak may run ahead of now.</summary>
    private Int128 Tolerance(Int128 now) =>
        Int128.Max(_burstTolerance, Int128.Min(now - _due - _smooth, _maxLateTolerance));

    /// <summary>The first moment whose <see cref="Tolerance"/> reaches as far as the peak.</summary>
    private Int128 WhenAllowed(Int128 peak) => Int128.Min(
        peak - _burstTolerance, Int128.Max((peak + _due + _smooth + 1) / 2, peak - _maxLateTolerance));
}
