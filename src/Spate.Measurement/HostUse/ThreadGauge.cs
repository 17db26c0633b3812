using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Usage;

namespace Spate.Measurement.HostUse;

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

/// <summary>What one thread uses. After its end the last reading stands. Any thread may read.</summary>
internal sealed class ThreadGauge : IDisposable
{
    private readonly Lock _lock = new();
    private readonly ThreadMeter _meter;
    private readonly ThreadUse _before;
    private ThreadUse _last;
    private string? _allowedCpuList;
    private bool _hasEnded;

    public ThreadGauge()
        : this(new ThreadMeter())
    {
    }

    /// <summary>Another thread of this process by its number as of gettid(2) or GetCurrentThreadId.</summary>
    public ThreadGauge(int systemThreadId)
        : this(new ThreadMeter(systemThreadId))
    {
    }

    private ThreadGauge(ThreadMeter meter)
    {
        _meter = meter;
        _before = new ThreadUse(meter.Usage, meter.Times);
    }

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

    public string?[] ReadAllowedCpuLists() => [.. _gauges.Select(static gauge => gauge.AllowedCpuList)];

    public void Dispose() => Array.ForEach(_gauges, static gauge => gauge.Dispose());
}
