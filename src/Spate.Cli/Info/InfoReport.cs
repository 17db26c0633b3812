using System.Net.Sockets;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;
using Spate.Measurement.Reports;

namespace Spate.Cli.Info;

/// <summary>The report of <c>spate info</c>: what this host and this build offer.</summary>
internal sealed record InfoReport : Report
{
    public const string KindName = "info";

    public InfoReport() => Kind = KindName;

    public required string SpateVersion { get; set; }

    public required string OperatingSystem { get; set; }

    public required string OperatingSystemVersion { get; set; }

    public required string KernelRelease { get; set; }

    public required string RuntimeVersion { get; set; }

    public required string Architecture { get; set; }

    public required string? Container { get; set; }

    public required InfoCpus Cpus { get; set; }

    /// <summary>The kernel's limits on socket buffers; null where it does not tell.</summary>
    public required BufferLimits Buffers { get; set; }

    public required InfoInterface[] Interfaces { get; set; }

    /// <summary>The backend that is used unless one is named; null where every such open is refused.</summary>
    public required string? Backend { get; set; }

    /// <summary>Why a faster backend of this system is not used; null if there is none.</summary>
    public required string? BackendFallback { get; set; }

    public required string? BackendFault { get; set; }

    public required InfoCapability[] Capabilities { get; set; }

    public static InfoReport Of(HostFacts facts, UdpCapabilities capabilities, string spateVersion) => new()
    {
        SpateVersion = spateVersion,
        OperatingSystem = facts.OperatingSystemName,
        OperatingSystemVersion = facts.OperatingSystemVersion,
        KernelRelease = facts.KernelRelease,
        RuntimeVersion = facts.RuntimeVersion,
        Architecture = facts.Architecture,
        Container = facts.Container,
        Cpus = InfoCpus.Of(facts.Cpus),
        Buffers = facts.Buffers,
        Interfaces = [.. facts.Interfaces.Select((network, i) => InfoInterface.Of(network, facts.Interrupts[i]))],
        Backend = capabilities.BackendVariableError is null ? NameText.Of(capabilities.Preferred) : null,
        BackendFallback = capabilities.FallbackReason,
        BackendFault = capabilities.BackendVariableError,
        Capabilities =
        [
            .. capabilities.All.Select(static one => new InfoCapability(one.Name, one.IsAvailable, one.Reason)),
        ],
    };

    internal override JsonTypeInfo JsonType => InfoJson.Default.InfoReport;
}

/// <summary>What the library can or cannot do on this host. The members are named as in the JSON.</summary>
internal sealed record InfoCapability(string Name, bool Available, string Reason);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(InfoReport))]
internal sealed partial class InfoJson : JsonSerializerContext;

/// <summary>
/// The CPUs of a host, from <see cref="CpuFacts"/>. <c>LastLevelCaches</c>: the last-level caches; empty where the
/// system shows none.
/// </summary>
internal sealed record InfoCpus(
    int OnlineCount,
    int UsableCount,
    string UsableList,
    double? QuotaCpus,
    string? ModelName,
    int? CoreCount,
    IReadOnlyList<InfoCache> LastLevelCaches,
    IReadOnlyList<CpuInfo> All)
{

    internal static InfoCpus Of(CpuFacts cpus) => new(
        cpus.All.Count,
        cpus.UsableNumbers.Count,
        CpuList.Format(cpus.UsableNumbers),
        cpus.QuotaCpus,
        cpus.ModelName,
        cpus.CoreCount,
        [.. cpus.LastLevelCaches.Select(InfoCache.Of)],
        cpus.All);
}

/// <summary>A last-level cache. <c>SizeBytes</c>: its size; null where the system does not tell.</summary>
internal sealed record InfoCache(int Level, long? SizeBytes, string CpuList)
{
    internal static InfoCache Of(CacheInfo cache) =>
        new(cache.Level, cache.SizeBytes, HostTuning.Reading.Cpus.CpuList.Format(cache.CpuNumbers));
}

/// <summary>
/// A network interface and where its interrupts are handled. <c>MtuBytes</c>: the largest packet that it takes; null
/// where the system does not tell. <c>MaxIpv4PayloadBytes</c>: the largest UDP payload over IPv4 in one packet; null if
/// the MTU is. <c>InterruptCpuList</c>: the CPUs that handle its interrupts, for example <c>0-3</c>; empty where
/// unknown. <c>SteeredCpuList</c>: the CPUs that its packets are steered to (RPS); empty for none.
/// </summary>
internal sealed record InfoInterface(
    string Name,
    bool IsUp,
    bool IsLoopback,
    int? MtuBytes,
    [property: JsonPropertyName("largestIpv4PayloadBytes")] int? MaxIpv4PayloadBytes,
    [property: JsonPropertyName("largestIpv6PayloadBytes")] int? MaxIpv6PayloadBytes,
    IReadOnlyList<string> Addresses,
    int? Node,
    string InterruptCpuList,
    string SteeredCpuList)
{

    internal static InfoInterface Of(InterfaceFacts facts, InterfaceInterrupts interrupts) => new(
        facts.Name,
        facts.IsUp,
        facts.IsLoopback,
        facts.MtuBytes,
        MaxPayload(facts.MtuBytes, AddressFamily.InterNetwork),
        MaxPayload(facts.MtuBytes, AddressFamily.InterNetworkV6),
        [.. facts.Addresses.Select(static address => address.ToString())],
        interrupts.Node,
        CpuList.Format(interrupts.CpuNumbers),
        CpuList.Format(interrupts.SteeredCpuNumbers));

    private static int? MaxPayload(int? mtuBytes, AddressFamily family) =>
        mtuBytes is { } known ? PathMtu.MaxPayload(known, family) : null;
}
