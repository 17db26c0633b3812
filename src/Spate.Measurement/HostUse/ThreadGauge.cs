using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Usage;

namespace Spate.Measurement.HostUse;

/// <summary>What a thread has used since its gauge was made.</summary>
/// <param name="Usage">CPU time, waiting for a CPU, switches.</param>
/// <param name="Times">The parts of the CPU time, and where the thread ran last.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ThreadUse(ThreadUsage Usage, ThreadTimes Times)
{
    public static ThreadUse operator -(ThreadUse later, ThreadUse earlier) =>
        new(later.Usage - earlier.Usage, later.Times - earlier.Times);

    public static ThreadUse operator +(ThreadUse left, ThreadUse right) => new(
        left.Usage + right.Usage,
        new ThreadTimes(
            left.Times.UserNanoseconds + right.Times.UserNanoseconds,
            left.Times.SystemNanoseconds + right.Times.SystemNanoseconds,
            right.Times.Cpu));
}

/// <summary>
/// Measures what one thread uses from the making on. After the thread has ended, the last reading stands. Any thread
/// may read.
/// </summary>
internal sealed class ThreadGauge : IDisposable
{
    private readonly Lock _lock = new();
    private readonly ThreadMeter _meter;
    private readonly ThreadUse _before;
    private ThreadUse _last;
    private string? _allowedCpuList;
    private bool _hasEnded;

    /// <summary>Measures the calling thread.</summary>
    public ThreadGauge()
        : this(new ThreadMeter())
    {
    }

    /// <summary>
    /// Measures another thread of this process by its system number, as gettid(2) or GetCurrentThreadId returns it.
    /// </summary>
    public ThreadGauge(int systemThreadId)
        : this(new ThreadMeter(systemThreadId))
    {
    }

    private ThreadGauge(ThreadMeter meter)
    {
        _meter = meter;
        _before = new ThreadUse(meter.Usage, meter.Times);
    }

    /// <summary>What the thread has used so far; nulls where the system does not tell.</summary>
    public ThreadUse Use
    {
        get
        {
            lock (_lock)
            {
                if (!_hasEnded) Read();
                return _last;
            }
        }
    }

    public string? AllowedCpuList
    {
        get
        {
            lock (_lock)
            {
                return _allowedCpuList ??= _meter.AllowedCpuList;
            }
        }
    }

    /// <summary>Takes the last reading. Called on the thread, at its end.</summary>
    public void Finish()
    {
        lock (_lock)
        {
            Read();
            _allowedCpuList = _meter.AllowedCpuList ?? _allowedCpuList;
            _hasEnded = true;
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _hasEnded = true;
            _meter.Dispose();
        }
    }

    private void Read()
    {
        var now = new ThreadUse(_meter.Usage, _meter.Times);

        // A thread that ends between the two readings has the first one only.
        if (now.Usage.CpuNanoseconds is not null && now.Times.UserNanoseconds is not null) _last = now - _before;
    }
}

/// <summary>Gauges of several threads of this process, by their system numbers, in a fixed order.</summary>
internal sealed class ThreadGauges(IEnumerable<int> systemThreadIds) : IDisposable
{
    private readonly ThreadGauge[] _gauges = [.. systemThreadIds.Select(static id => new ThreadGauge(id))];

    public ThreadUse[] Read() => [.. _gauges.Select(static gauge => gauge.Use)];

    /// <summary>The CPUs that each thread may run on; null if unknown.</summary>
    public string?[] ReadAllowedCpuLists() => [.. _gauges.Select(static gauge => gauge.AllowedCpuList)];

    public void Dispose() => Array.ForEach(_gauges, static gauge => gauge.Dispose());
}
