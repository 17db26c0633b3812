using System.Net;

namespace Spate.HostTuning.Checks;

internal sealed record CheckOptions
{
    /// <summary>Null for those that have a default route.</summary>
    public string? Interface { get; init; }

    /// <summary>All that are up, unless <see cref="Interface"/> names one.</summary>
    public bool IncludesAllInterfaces { get; init; }

    /// <summary>Null for what the speed of the fastest interface says.</summary>
    public HostProfile? Profile { get; init; }

    /// <summary>One of each family at most; none for no probes. Only ICMP echo goes there, nothing elsewhere.</summary>
    public IReadOnlyList<IPAddress> Targets { get; init; } = [];

    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(2);

    public string RootPath { get; init; } = "/";
}
