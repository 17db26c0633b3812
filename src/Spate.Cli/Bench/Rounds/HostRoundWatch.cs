using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Rounds;

/// <summary>Watches this host and the calling thread. Nothing is read during a round.</summary>
internal sealed class HostRoundWatch : IRoundWatch
{
    private readonly CpuSampler _cores = new();
    private readonly ThreadGauge _gauge = new();
    private CpuMeter _process = new();
    private ThreadUse _before;

    public void Begin()
    {
        _ = _cores.Take();
        _before = _gauge.Use;
        _process = new CpuMeter();
    }

    public (CpuTotals Cores, ThreadUse Use) End()
    {
        var places = new CpuAttribution();
        places.AddMovable((long)(_process.Elapsed.Total * 1e9));
        return (_cores.Take(places), _gauge.Use - _before);
    }

    public void Dispose()
    {
        _cores.Dispose();
        _gauge.Dispose();
    }
}
