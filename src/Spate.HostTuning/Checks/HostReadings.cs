using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Firewall;
using Spate.HostTuning.Reading.Probing;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Checks;

/// <summary>For all checks: the state at the end, and what was counted while the host was watched.</summary>
internal sealed record HostReadings
{
    public required CheckOptions Request { get; init; }

    public required ProfileNeeds Needs { get; init; }

    public required IReadOnlyList<HostInterface> Interfaces { get; init; }

    public required CpuFacts Cpus { get; init; }

    public required string? Container { get; init; }

    /// <summary>Since each counter was begun.</summary>
    public required NetworkCounters Totals { get; init; }

    /// <summary>While the host was watched.</summary>
    public required NetworkCounters Growth { get; init; }

    /// <summary>Of all programs in the namespace; null where the kernel does not list them.</summary>
    public required IReadOnlyList<UdpSocketCounters>? Sockets { get; init; }

    /// <summary>Those that dropped meanwhile, most first; sockets that were closed are not there.</summary>
    public required IReadOnlyList<UdpSocketCounters> SocketDrops { get; init; }

    /// <summary>Rules that drop; null where this process may not see them.</summary>
    public required IReadOnlyList<DropRule>? Firewall { get; init; }

    public required IReadOnlyList<DropRule> FirewallGrowth { get; init; }

    public required IReadOnlyDictionary<int, CpuUse> CpuUse { get; init; }

    /// <summary>By the quota of this process's control group, meanwhile; null where unknown.</summary>
    public required TimeSpan? Throttled { get; init; }

    /// <summary>One for each address family; none without a target.</summary>
    public IReadOnlyList<PathReading> Paths { get; init; } = [];

    public required TimeSpan Watched { get; init; }

    public HostFiles Files => new(Request.RootPath);
}
