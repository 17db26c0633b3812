using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Firewall;
using Spate.HostTuning.Reading.Probing;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Checks;

/// <summary>
/// What was read of the host, for all checks: the state at the end, and what was counted while it was watched.
/// </summary>
internal sealed record HostReadings
{
    public required CheckOptions Request { get; init; }

    public required ProfileNeeds Needs { get; init; }

    public required IReadOnlyList<HostInterface> Interfaces { get; init; }

    public required CpuFacts Cpus { get; init; }

    /// <summary>What suggests that this is a container; null when nothing does.</summary>
    public required string? Container { get; init; }

    /// <summary>The counters since each was begun.</summary>
    public required NetworkCounters Totals { get; init; }

    /// <summary>What was counted while the host was watched.</summary>
    public required NetworkCounters Growth { get; init; }

    /// <summary>
    /// The UDP sockets of the network namespace, of all programs; null where the kernel does not list them.
    /// </summary>
    public required IReadOnlyList<UdpSocketCounters>? Sockets { get; init; }

    /// <summary>
    /// Those of <see cref="Sockets"/> that dropped something while the host was watched, with what they dropped then,
    /// most first. Sockets that were closed meanwhile are not there.
    /// </summary>
    public required IReadOnlyList<UdpSocketCounters> SocketDrops { get; init; }

    /// <summary>The firewall's rules that drop; null where this process may not see them.</summary>
    public required IReadOnlyList<DropRule>? Firewall { get; init; }

    /// <summary>Those of <see cref="Firewall"/> that dropped while the host was watched, most first.</summary>
    public required IReadOnlyList<DropRule> FirewallGrowth { get; init; }

    /// <summary>What the CPUs did while the host was watched.</summary>
    public required IReadOnlyDictionary<int, CpuUse> CpuUse { get; init; }

    /// <summary>How long a quota stopped this process's control group meanwhile; null where unknown.</summary>
    public required TimeSpan? Throttled { get; init; }

    /// <summary>The paths to the target, one for each address family; none without a target.</summary>
    public IReadOnlyList<PathReading> Paths { get; init; } = [];

    public required TimeSpan Watched { get; init; }

    public HostFiles Files => new(Request.RootPath);
}
