using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Rounds;

/// <summary>Watches the CPUs and the measuring thread in one round after the other. Tests make it up.</summary>
internal interface IRoundWatch : IDisposable
{
    /// <summary>Called on the measuring thread before a round.</summary>
    void Begin();

    /// <summary>Called on the measuring thread after a round.</summary>
    (CpuTotals Cores, ThreadUse Use) End();
}
