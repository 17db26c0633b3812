using Spate.Measurement.Cores;
using Spate.Measurement.Meters;

namespace Spate.Measurement.Bench.Rounds;

/// <summary>Watches what the CPUs and the thread that measures do in one round after the other.</summary>
internal abstract class RoundWatch : IDisposable
{
    /// <summary>Called on the measuring thread before a round.</summary>
    public abstract void Begin();

    /// <summary>Called on the measuring thread after a round.</summary>
    /// <returns>What the CPUs did in it, and what the thread used.</returns>
    public abstract (CoreSum Cores, ThreadUse Use) End();

    /// <summary>Ends the watch.</summary>
    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes what the watch reads.</summary>
    protected virtual void Close()
    {
    }
}

/// <summary>Watches this host and the calling thread. Nothing is read during a round.</summary>
internal sealed class HostRoundWatch : RoundWatch
{
    private readonly CoreWatch _cores = new();
    private readonly ThreadGauge _gauge = new();
    private CpuMeter _process = new();
    private ThreadUse _before;

    public override void Begin()
    {
        _ = _cores.Take();
        _before = _gauge.Use;
        _process = new CpuMeter();
    }

    public override (CoreSum Cores, ThreadUse Use) End()
    {
        var places = new CorePlaces();
        places.AddMovable((long)(_process.Elapsed.Total * 1e9));
        return (_cores.Take(places), _gauge.Use - _before);
    }

    protected override void Close()
    {
        _cores.Dispose();
        _gauge.Dispose();
    }
}
