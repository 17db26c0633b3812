using System.Net.Sockets;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.HostTuning.Reading.Probing;

/// <summary>What is known of the path to an address. It does not hold the address: findings are pasted.</summary>
internal sealed record PathReading(AddressFamily Family)
{
    public InterfaceFacts? Interface { get; init; }

    /// <summary>What the kernel knows without any probe; null without a route.</summary>
    public int? KnownBytes { get; init; }

    public RouteFacts? Route { get; init; }

    /// <summary>Null where this process may send no probes.</summary>
    public MtuProbe? Probe { get; init; }

    /// <summary>Of the reply to a probe that had an ECN mark; null for no reply.</summary>
    public byte? EchoedClass { get; init; }
}
