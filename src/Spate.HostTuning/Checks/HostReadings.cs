using System.Collections.ObjectModel;
using System.Net;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Firewall;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;
using Spate.HostTuning.Reading.Probing;
using Spate.HostTuning.Reading.Usage;
using Spate.HostTuning.Settings;

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

    /// <summary>The root is another one than <c>/</c>: nothing can be tried there.</summary>
    public bool IsRecorded => !string.Equals(Request.RootPath, "/", StringComparison.Ordinal);

    public long? ReadNumber(FileSetting setting) => Files.ReadNumber(setting.Path);

    /// <summary>Of the card's device; a virtio device's facts are those of its parent.</summary>
    public T? ReadDevice<T>(HostInterface card, Func<string, T?> read)
        where T : class =>
        SysfsDevice.InterfacePath(Files, card.Interrupts.DeviceNames[0]) is { } path
        && SysfsDevice.DevicePath(Files, path) is { } device
            ? read(device) ?? read(SysfsDevice.Parent(device))
            : null;

    /// <summary>One finding for each interface that has a device, or devices below it.</summary>
    public IEnumerable<CheckFinding> EachCard(Func<HostInterface, CheckFinding> look) => Interfaces
        .Where(static one => one.Interrupts.DeviceNames.Count > 0)
        .Select(one => look(one) with { Interface = one.Name });
}

internal sealed record HostInterface(
    InterfaceFacts Facts, LinkFacts Link, InterfaceInterrupts Interrupts, CardSettings Card)
{
    /// <summary>While the host was watched, by the driver's own names.</summary>
    public IReadOnlyDictionary<string, ulong> CardGrowth { get; init; } = ReadOnlyDictionary<string, ulong>.Empty;

    public string Name => Facts.Name;

    public string ShownName => CheckText.Name(Name);
}

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
