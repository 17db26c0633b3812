using Spate.Measurement.Cores;
using Spate.Measurement.Meters;

namespace Spate.Measurement.Bench.Rounds;

/// <summary>
/// Watches what the CPUs and the thread that measures do in one round after the other. Tests make it up.
/// </summary>
internal interface IRoundWatch : IDisposable
{
    /// <summary>Called on the measuring thread before a round.</summary>
    void Begin();

    /// <summary>Called on the measuring thread after a round.</summary>
    /// <returns>What the CPUs did in it, and what the thread used.</returns>
    (CoreSum Cores, ThreadUse Use) End();
}
