using Spate.HostTuning.Counters;

namespace Spate.Measurement.Traffic;

/// <summary>What the host of one end counted during the data of a test: it tells where datagrams were lost.</summary>
internal sealed record TestHostReport
{
    /// <summary>What the network namespace counted, for all programs; null where it could not be read.</summary>
    public NetworkCounters? Counters { get; set; }

    /// <summary>
    /// The interfaces that the flows may use; none where that of one flow could not be told, so that any may be.
    /// </summary>
    public string[] Interfaces { get; set; } = [];

    /// <summary>The smallest MTU of these interfaces; null where it could not be told.</summary>
    public int? InterfaceMtuBytes { get; set; }

    /// <summary><c>net.core.netdev_max_backlog</c>; null where it could not be read.</summary>
    public long? BacklogLimit { get; set; }

    /// <summary>How long the process was stopped: its control thread neither ran nor was ready to run.</summary>
    public long StoppedNanoseconds { get; set; }

    /// <summary>Whether the flows are of IPv6; null where some are and others are not.</summary>
    public bool? IsIPv6 { get; set; }

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(TestHostReport), PrintMembers, (nameof(Interfaces), Interfaces));
}
