using System.Diagnostics;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Usage;

namespace Spate.Measurement.HostUse;

/// <summary>The CPUs of the host, with the work of all programs. One thread at a time.</summary>
internal sealed class CpuSampler : IDisposable
{
    private readonly CpuTimesReader _reader;
    private readonly CpuThrottleMeter _throttle;
    private long _ticks;
    private IReadOnlyDictionary<int, CpuUse> _uses;

    public CpuSampler(string rootPath = "/")
    {
        _reader = new CpuTimesReader(rootPath);
        _throttle = new CpuThrottleMeter(rootPath);
        _uses = _reader.Read();
        _ticks = Stopwatch.GetTimestamp();
    }

    public CpuTotals Total { get; } = new();

    /// <summary>The time since the last call or the making. The places are where the run had work in it.</summary>
    public CpuTotals Take(CpuAttribution? places = null)
    {
        IReadOnlyDictionary<int, CpuUse> uses = _reader.Read();
        long ticks = Stopwatch.GetTimestamp();
        var sum = new CpuTotals
        {
            Seconds = Stopwatch.GetElapsedTime(_ticks, ticks).TotalSeconds,
            ThrottledSeconds = _throttle.Take() / 1e9,
        };
        foreach ((int cpu, CpuUse use) in uses)
        {
            // What a CPU did that was plugged in or out in between is not known.
            if (_uses.TryGetValue(cpu, out CpuUse earlier)) sum.Add(cpu, use - earlier);
        }

        if (places is not null) sum.Places.Add(places);
        (_uses, _ticks) = (uses, ticks);
        Total.Add(sum);
        return sum;
    }

    public void Dispose()
    {
        _reader.Dispose();
        _throttle.Dispose();
    }
}
