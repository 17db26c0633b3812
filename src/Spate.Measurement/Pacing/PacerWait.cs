using System.Text.Json.Serialization;

namespace Spate.Measurement.Pacing;

/// <summary>Waits for a time stamp of a <see cref="RatePacer"/>. Not thread-safe: one per thread.</summary>
internal abstract class PacerWait
{
    /// <summary>
    /// The rate of one thread, in datagrams per second, from which on <see cref="ModeFor"/> chooses
    /// <see cref="PaceMode.Spin"/>. A thread that spins takes a whole CPU at every rate. One that sleeps took 11 % at
    /// 50,000, 47 % at a million and 85 to 93 % at 2 million datagrams of 64 bytes per second (2-CPU virtual machine,
    /// Linux 6.18), and saves nothing worth its bursts above that.
    /// </summary>
    public const double MinSpinDatagramsPerSecond = 2_000_000;

    /// <summary>The longest time whose datagrams may leave at once, in seconds: a pacer's burst time.</summary>
    public virtual double BurstSeconds => RatePacer.BurstSeconds;

    /// <summary>In seconds: what is due in it is worth one wait; 0 for waits that are exact.</summary>
    public virtual double GroupSeconds => 0;

    /// <summary>In seconds: how early datagrams are handed over; 0 unless the system keeps times.</summary>
    public virtual double LeadSeconds => 0;

    /// <summary>In seconds; 0 where datagrams carry no time to leave.</summary>
    public virtual double SharedTimeSeconds => 0;

    /// <summary>The way to wait where the user names none, for the rate of one thread.</summary>
    public static PaceMode ModeFor(double datagramsPerSecond) =>
        OperatingSystem.IsLinux() && Environment.ProcessorCount > 1 && datagramsPerSecond >= MinSpinDatagramsPerSecond
            ? PaceMode.Spin
            : PaceMode.Sleep;

    /// <summary>Makes a wait. Ticks are the clock's time stamps; only the system's can be slept on exactly.</summary>
    public static PacerWait Create(PaceMode mode, TimeProvider? timeProvider = null)
    {
        TimeProvider time = timeProvider ?? TimeProvider.System;
        return mode == PaceMode.Spin ? new SpinningWait(time)
            : SleepingWait.IsPossibleOn(time) ? new SleepingWait(isAhead: mode == PaceMode.Txtime)
            : new TimerWait(time);
    }

    /// <summary>At once if the time has come; false if cancelled. Not all waits use the tolerance.</summary>
    public abstract bool Until(long untilTicks, long toleranceTicks, CancellationToken cancellationToken = default);
}

/// <summary>How a sender waits for the moment at which datagrams are due.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<PaceMode>))]
internal enum PaceMode
{
    /// <summary>
    /// The thread sleeps until the datagrams of 250 µs are due, and sends them at once. It costs little CPU time. A
    /// sleep that ends late is made up for with bursts of at most 500 µs, larger ones from a delay of
    /// <see cref="RatePacer.SmoothSeconds"/> on. Linux; elsewhere it sleeps in whole milliseconds, spins for the rest,
    /// and sends bursts of at most 1 ms.
    /// </summary>
    Sleep,

    /// <summary>The thread looks at the clock until the next datagram is due. It takes a whole CPU.</summary>
    Spin,

    /// <summary>
    /// The thread hands datagrams over a millisecond ahead, in GSO messages of at most 50 µs. Each GSO message carries
    /// the time at which it is to leave (SO_TXTIME), and the queueing discipline fq of the interface keeps it. Linux,
    /// where <see cref="TransmitTimeOffer"/> finds fq on the way to the target.
    /// </summary>
    Txtime,
}
