using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Host;
using Spate.HostTuning.Counters;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Watch;

/// <summary>The report of <c>spate watch</c>: what a host counted in one interval, or in the whole time.</summary>
internal sealed record WatchReport : HostReport
{
    public const string KindName = "watch";

    public WatchReport() => Kind = KindName;

    /// <summary>What findings are judged by: <c>1g</c>, <c>10g</c>, <c>40g</c>, <c>100g</c>, <c>latency</c>.</summary>
    public required string Profile { get; set; }

    /// <summary>The number of the interval, from 1; null for the report of the whole time.</summary>
    public int? Interval { get; set; }

    /// <summary>Seconds from the start of the watching to the start of this time.</summary>
    public double StartSeconds { get; set; }

    public double Seconds { get; set; }

    public int Problems { get; set; }

    public required WatchInterface[] Interfaces { get; set; }

    /// <summary>The host's CPUs that worked, or with <c>--cores</c> all of them.</summary>
    public CpuReport[] Cores { get; set; } = [];

    /// <summary>The CPUs that were full: busy for at least 90 % of the time.</summary>
    public required int[] FullCpus { get; set; }

    /// <summary>The counters of losses, errors and delays that grew, from the sockets down to the cards.</summary>
    public required WatchCounter[] Counters { get; set; }

    /// <summary>UDP sockets with drops or with something waiting, at most 16; most drops first.</summary>
    public required WatchSocket[] Sockets { get; set; }

    /// <summary>The problems, what is likely to matter most first.</summary>
    public required FindingReport[] Checks { get; set; }

    internal override JsonTypeInfo JsonType => WatchJson.Default.WatchReport;
}

/// <summary>A counter of losses, errors or delays that grew.</summary>
/// <param name="Place"><c>UDP</c>, <c>IP</c>, <c>conntrack</c>, <c>CPU 3</c>, or an escaped interface name.</param>
/// <param name="Growth">By how much it grew, in its own unit; at least 1.</param>
/// <param name="PerSecond">The growth a second.</param>
/// <param name="Meaning">What it counts, for a counter that no check explains; null for the others.</param>
internal sealed record WatchCounter(string Place, string Name, long Growth, double PerSecond, string? Meaning);

/// <summary>A UDP socket that dropped something, or in which something waits.</summary>
/// <param name="Port">The port that it is bound to; 0 for none.</param>
/// <param name="Program">One line of printable ASCII; null where this user may not see it.</param>
/// <param name="QueueBytes">What waits in its receive buffer now, in bytes of memory; null where unknown.</param>
internal sealed record WatchSocket(
    int Port, string? Program, long? QueueBytes, long? BufferBytes, long Drops, double DropsPerSecond);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(WatchReport))]
internal sealed partial class WatchJson : JsonSerializerContext;

/// <summary>What one interface did in a time in which it was watched. Null where the system does not tell.</summary>
internal sealed record WatchInterface
{
    /// <summary>Its name, as one line of printable ASCII.</summary>
    public required string Name { get; set; }

    public long? RxPackets { get; set; }

    public double? RxPacketsPerSecond { get; set; }

    /// <summary>Bits a second that came in, with the headers of the link.</summary>
    public double? RxBitsPerSecond { get; set; }

    /// <summary>Packets that came in and were dropped by the driver, by the card or above them.</summary>
    public long? RxDropped { get; set; }

    public long? RxErrors { get; set; }

    public long? TxPackets { get; set; }

    public double? TxPacketsPerSecond { get; set; }

    public double? TxBitsPerSecond { get; set; }

    public long? TxDropped { get; set; }

    public long? TxErrors { get; set; }

    internal static WatchInterface Of(InterfaceCounters growth, double seconds)
    {
        return new WatchInterface
        {
            Name = growth.Name,
            RxPackets = growth.RxPackets,
            RxPacketsPerSecond = Rate(growth.RxPackets),
            RxBitsPerSecond = Rate(8 * growth.RxBytes),
            RxDropped = growth.RxDropped is null && growth.RxMissedErrors is null
                ? null
                : (growth.RxDropped ?? 0) + (growth.RxMissedErrors ?? 0),
            RxErrors = growth.RxErrors,
            TxPackets = growth.TxPackets,
            TxPacketsPerSecond = Rate(growth.TxPackets),
            TxBitsPerSecond = Rate(8 * growth.TxBytes),
            TxDropped = growth.TxDropped,
            TxErrors = growth.TxErrors,
        };

        double? Rate(long? amount) => amount is { } known ? Statistics.Ratio(known, seconds) : null;
    }
}
