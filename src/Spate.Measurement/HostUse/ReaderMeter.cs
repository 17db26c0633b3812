using Spate.HostTuning.Reading.Usage;

namespace Spate.Measurement.HostUse;

/// <summary>
/// Measures what a receiving thread gets of its CPUs from its first datagram to its last one, so that neither the
/// set-up nor the drain period looks like a thread that cannot run. Made and used on that thread. The kernel is asked
/// only while no datagram waits: before the first datagram at most once a second, and in the first pause behind others.
/// </summary>
internal sealed class ReaderMeter : IDisposable
{
    private const long RefreshMilliseconds = 1000;

    private readonly ThreadMeter _meter = new();
    private readonly CpuTimesReader _cpuTimes = new();

    private readonly int? _laterCpu;

    // A pinned thread has one CPU here.
    private int[] _cpus = ThreadAffinity.GetCurrentThreadCpus();
    private long? _laterSteal;
    private (ThreadUsage Usage, long? Steal) _first;
    private (ThreadUsage Usage, long? Steal) _last;
    private long _readMilliseconds;
    private long _datagrams;

    /// <param name="laterCpu">The CPU to be bound to at the first datagram; null for none.</param>
    public ReaderMeter(int? laterCpu = null)
    {
        _laterCpu = laterCpu;
        ReadFirst();
    }

    /// <summary>What the thread got until the latest pause; nulls before its first datagram.</summary>
    public ReaderSchedule Schedule
    {
        get
        {
            ThreadUsage usage = _last.Usage - _first.Usage;
            return new ReaderSchedule
            {
                RunQueueNanoseconds = usage.RunQueueNanoseconds,
                StealNanoseconds = _last.Steal - _first.Steal,
                CpuNanoseconds = usage.CpuNanoseconds,
            };
        }
    }

    /// <summary>Notes that no datagram waits, with the number of those received so far.</summary>
    public void Pause(long datagrams)
    {
        if (datagrams > _datagrams)
        {
            (_datagrams, _last) = (datagrams, Read());
        }
        else if (datagrams == 0 && Environment.TickCount64 - _readMilliseconds >= RefreshMilliseconds)
        {
            ReadFirst();
        }
    }

    /// <summary>Notes that the thread was bound to its later CPU. Nothing is read: more datagrams may wait.</summary>
    public void OnMoved()
    {
        _cpus = [_laterCpu!.Value];
        _first.Steal = _laterSteal;
    }

    public void Dispose()
    {
        _meter.Dispose();
        _cpuTimes.Dispose();
    }

    private void ReadFirst()
    {
        (_first, _readMilliseconds) = (Read(), Environment.TickCount64);
        if (_laterCpu is { } cpu) _laterSteal = _cpuTimes.ReadMeanSteal([cpu]);
    }

    private (ThreadUsage Usage, long? Steal) Read() => (_meter.Usage, _cpuTimes.ReadMeanSteal(_cpus));
}

/// <summary>
/// What one receiving thread got of its CPUs from its first datagram to its last one, and what its socket dropped. The
/// time before and after does not count. A value is null where the system does not tell. Immutable.
/// </summary>
internal sealed record ReaderSchedule
{
    internal const double NanosecondsPerSecond = 1e9;

    public long Datagrams { get; init; }

    public long? Drops { get; init; }

    /// <summary>Ready to run and waiting for a CPU (<c>/proc/PID/schedstat</c>).</summary>
    public long? RunQueueNanoseconds { get; init; }

    /// <summary>
    /// <c>steal</c> of proc_stat(5), or its mean over the CPUs of a thread that is free to move. It overlaps with
    /// <see cref="RunQueueNanoseconds"/>.
    /// </summary>
    public long? StealNanoseconds { get; init; }

    public long? CpuNanoseconds { get; init; }

    /// <summary>The longer of the two that overlap, so that nothing counts twice.</summary>
    internal double WaitingSeconds =>
        Math.Max(0, Math.Max(RunQueueNanoseconds ?? 0, StealNanoseconds ?? 0)) / NanosecondsPerSecond;

    internal bool IsStolen => StealNanoseconds > Math.Max(0, RunQueueNanoseconds ?? 0) / 2;

    internal double? CpuSeconds => CpuNanoseconds / NanosecondsPerSecond;
}
