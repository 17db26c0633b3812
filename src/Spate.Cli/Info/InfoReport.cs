using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.HostTuning.Reading;
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
