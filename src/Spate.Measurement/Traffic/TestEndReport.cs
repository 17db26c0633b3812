using System.Text.Json.Serialization;
using Spate.HostTuning.Counters;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>What one end of a test has measured.</summary>
internal sealed record TestEndReport
{
    // A server sends some dozens of intervals. There are two offloads, and three roles of a CPU. NR_CPUS of the largest
    // distribution kernels is 8192.
    private const int MaxIntervals = 1024;
    private const int MaxOffloads = 16;
    private const int MaxRoles = 16;
    private const int MaxCores = 8192;

    /// <summary>Whether it stopped sending early, since it had not heard the other end for almost 2 s.</summary>
    public bool StoppedUnheard { get; set; }

    /// <summary>What it sent; null where it did not send.</summary>
    public TrafficReport? Sent { get; set; }

    public TrafficReport? Received { get; set; }

    /// <summary>Why its system refused a datagram, in the words of .NET; null where it refused none.</summary>
    public string? RefusedBecause { get; set; }

    public TestHostReport? Host { get; set; }

    /// <summary>A stranger's JSON may hold nulls in lists, and lists longer than this program would write.</summary>
    internal bool IsWhole => IsWholeTraffic(Sent) && IsWholeTraffic(Received)
        && (Host is null || HasAll(Host.Interfaces, NetworkCounterReader.MaxInterfaces))
        && (Host?.Counters is not { } counters
            || (HasAll(counters.Interfaces, NetworkCounterReader.MaxInterfaces)
                && HasAll(counters.Queues, NetworkCounterReader.MaxQueues)));

    // A list that is left out is null, since it can only be initialised.
    private static bool HasAll<T>(IReadOnlyList<T?>? list, int maxCount)
        where T : class => list?.Count <= maxCount && !list.Contains(null);

    private static bool IsWholeTraffic(TrafficReport? report) => report is null
        || (HasAll(report.Threads, TrafficOptions.MaxFlowCount)
            && HasAll(report.PerStream, TrafficOptions.MaxFlowCount)
            && HasAll(report.Offloads, MaxOffloads)
            && HasAll(report.Links, NetworkCounterReader.MaxInterfaces)
            && IsWholeCores(report.Cores)
            && HasAll(report.Intervals, MaxIntervals)
            && report.Intervals.All(static one =>
                HasAll(one.Threads, TrafficOptions.MaxFlowCount) && IsWholeCores(one.Cores)));

    private static bool IsWholeCores(IReadOnlyList<CpuReport?> cores) =>
        HasAll(cores, MaxCores) && cores.All(static core => HasAll(core!.Roles, MaxRoles));
}

/// <summary>What the host of one end counted during the data of a test: it tells where datagrams were lost.</summary>
internal sealed record TestHostReport
{
    /// <summary>What the network namespace counted, for all programs; null where it could not be read.</summary>
    public NetworkCounters? Counters { get; set; }

    /// <summary>None where that of one flow could not be told, so that any may be.</summary>
    public string[] Interfaces { get; set; } = [];

    public int? InterfaceMtuBytes { get; set; }

    public long? BacklogLimit { get; set; }

    /// <summary>How long the process was stopped: its control thread neither ran nor was ready to run.</summary>
    public long StoppedNanoseconds { get; set; }

    /// <summary>Whether the flows are of IPv6; null where some are and others are not.</summary>
    public bool? IsIPv6 { get; set; }

    public override string ToString() => RecordText.Of(
        nameof(TestHostReport), PrintMembers, (nameof(Interfaces), Interfaces));
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    RespectNullableAnnotations = true,
    MaxDepth = 8)]
[JsonSerializable(typeof(TestEndReport))]
internal sealed partial class SessionJson : JsonSerializerContext;
