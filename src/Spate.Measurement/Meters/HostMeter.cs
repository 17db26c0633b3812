using Spate.HostTuning.Counters;
using Spate.HostTuning.Usage;

namespace Spate.Measurement.Meters;

/// <summary>
/// What the host has counted since the meter was made, for all programs of the network namespace of the thread that
/// made it. One thread at a time.
/// </summary>
internal sealed class HostMeter : IDisposable
{
    private readonly NetworkCounterReader _reader = new();
    private readonly NetworkCounters _before;
    private readonly long? _stealBefore = SystemCounts.ReadStealNanoseconds();

    public HostMeter() => _before = _reader.Read();

    /// <summary>What the namespace has counted; null where it cannot be told from another one.</summary>
    public NetworkCounters? ReadCounters()
    {
        NetworkCounters counters = _reader.Read() - _before;
        return counters.NamespaceId.Length > 0 ? counters : null;
    }

    /// <summary>How long the hypervisor has kept the host's CPUs, all together; null where it is not told.</summary>
    public long? ReadStealNanoseconds() => SystemCounts.ReadStealNanoseconds() - _stealBefore;

    public void Dispose() => _reader.Dispose();
}
