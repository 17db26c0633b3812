using Spate.HostTuning.Counters;

namespace Spate.Measurement.HostUse;

/// <summary>What the host has counted for all programs of its maker's namespace. One thread at a time.</summary>
internal sealed class HostMeter : IDisposable
{
    private readonly NetworkCounterReader _reader = new();
    private readonly NetworkCounters _before;

    public HostMeter() => _before = _reader.Read();

    /// <summary>What the namespace has counted; null where it cannot be told from another one.</summary>
    public NetworkCounters? ReadCounters()
    {
        NetworkCounters counters = _reader.Read() - _before;
        return counters.NamespaceId.Length > 0 ? counters : null;
    }

    public void Dispose() => _reader.Dispose();
}
