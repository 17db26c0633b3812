using System.Net;

namespace Spate.HostTuning.Checks;

/// <summary>What a host is examined for.</summary>
internal sealed record CheckOptions
{
    /// <summary>The interface to look at; null for those that have a default route.</summary>
    public string? Interface { get; init; }

    /// <summary>
    /// Whether all interfaces that are up are looked at, unless <see cref="Interface"/> names one. False by default.
    /// </summary>
    public bool IncludesAllInterfaces { get; init; }

    /// <summary>What the host is to be fit for; null for what the speed of its fastest interface says.</summary>
    public HostProfile? Profile { get; init; }

    /// <summary>
    /// The addresses of a host to which the path is probed, one of each family at most; none for no probes. Only probes
    /// of ICMP echo go there, and nothing goes elsewhere.
    /// </summary>
    public IReadOnlyList<IPAddress> Targets { get; init => field = RecordList.Copy(value); } =
        RecordList.Copy<IPAddress>([]);

    /// <summary>How long the counters are watched; two seconds by default.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>Where the system's file tree begins; another value than <c>/</c> is for tests.</summary>
    public string RootPath { get; init; } = "/";

    public override string ToString() => RecordText.Of(nameof(CheckOptions), PrintMembers, (nameof(Targets), Targets));
}
