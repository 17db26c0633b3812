using Spate.Cli.Options;
using Spate.HostTuning;

namespace Spate.Cli.Info;

/// <summary>What <c>spate info --json</c> writes; names and units are part of the schema <c>spate/1</c>.</summary>
internal sealed record InfoReport
{
    public string Schema { get; } = "spate/1";

    public string Kind { get; } = "info";

    public required string SpateVersion { get; init; }

    public required string OperatingSystem { get; init; }

    public required string OperatingSystemVersion { get; init; }

    public required string KernelRelease { get; init; }

    public required string RuntimeVersion { get; init; }

    public required string Architecture { get; init; }

    public required string? Container { get; init; }

    public required InfoCpus Cpus { get; init; }

    public required InfoBuffers Buffers { get; init; }

    public required IReadOnlyList<InfoInterface> Interfaces { get; init; }

    /// <summary>The backend that is used unless one is named; null where every such open is refused.</summary>
    public required string? Backend { get; init; }

    /// <summary>Why it is not a faster one that this system could have; null where nothing fell back.</summary>
    public required string? BackendFallback { get; init; }

    /// <summary>What every open is refused with that names no backend; null where it is not.</summary>
    public required string? BackendFault { get; init; }

    /// <summary>What was tried over the loopback, and what came of it.</summary>
    public required IReadOnlyList<InfoCapability> Capabilities { get; init; }

    public static InfoReport Of(HostFacts facts, UdpCapabilities capabilities) => new()
    {
        SpateVersion = ToolVersion.Text,
        OperatingSystem = facts.OperatingSystemName,
        OperatingSystemVersion = facts.OperatingSystemVersion,
        KernelRelease = facts.KernelRelease,
        RuntimeVersion = facts.RuntimeVersion,
        Architecture = facts.Architecture,
        Container = facts.Container,
        Cpus = InfoCpus.Of(facts.Cpus),
        Buffers = InfoBuffers.Of(facts.Buffers),
        Interfaces = [.. facts.Interfaces.Select((network, i) => InfoInterface.Of(network, facts.Interrupts[i]))],
        Backend = UdpCapabilities.SwitchFault is null ? BackendText.NameOf(capabilities.Preferred) : null,
        BackendFallback = capabilities.Fallback,
        BackendFault = UdpCapabilities.SwitchFault,
        Capabilities = [.. capabilities.All.Select(InfoCapability.Of)],
    };
}

internal sealed record InfoCapability(string Name, bool Available, string Reason)
{
    public static InfoCapability Of(UdpCapability capability) =>
        new(capability.Name, capability.Available, capability.Reason);
}

internal sealed record InfoCpu(
    int Number,
    int? Core,
    int? Package,
    int? Node,
    bool Usable,
    int? FirstOfCore,
    int? FirstOfCache,
    int? MaximumKilohertz)
{
    public static InfoCpu Of(CpuInfo cpu) => new(
        cpu.Number,
        cpu.Core,
        cpu.Package,
        cpu.Node,
        cpu.Usable,
        cpu.FirstOfCore,
        cpu.FirstOfCache,
        cpu.MaximumKilohertz);
}

internal sealed record InfoCache(int Level, long? SizeBytes, string CpuList)
{
    public static InfoCache Of(CacheInfo cache) =>
        new(cache.Level, cache.SizeBytes, HostTuning.CpuList.Format(cache.CpuNumbers));
}

internal sealed record InfoCpus(
    int OnlineCount,
    int UsableCount,
    string UsableList,
    double? QuotaCpus,
    string? ModelName,
    int? CoreCount,
    IReadOnlyList<InfoCache> LastLevelCaches,
    IReadOnlyList<InfoCpu> All)
{
    public static InfoCpus Of(CpuFacts cpus) => new(
        cpus.All.Count,
        cpus.UsableNumbers.Count,
        CpuList.Format(cpus.UsableNumbers),
        cpus.QuotaCpus,
        cpus.ModelName,
        cpus.CoreCount,
        [.. cpus.LastLevelCaches.Select(InfoCache.Of)],
        [.. cpus.All.Select(InfoCpu.Of)]);
}

internal sealed record InfoBuffers(
    long? ReceiveMaximumBytes,
    long? ReceiveDefaultBytes,
    long? SendMaximumBytes,
    long? SendDefaultBytes,
    long? BacklogPackets)
{
    public static InfoBuffers Of(BufferLimits limits) => new(
        limits.ReceiveMaximumBytes,
        limits.ReceiveDefaultBytes,
        limits.SendMaximumBytes,
        limits.SendDefaultBytes,
        limits.BacklogPackets);
}

internal sealed record InfoInterface(
    string Name,
    bool IsUp,
    bool IsLoopback,
    int? MtuBytes,
    int? LargestIpv4PayloadBytes,
    int? LargestIpv6PayloadBytes,
    IReadOnlyList<string> Addresses,
    int? Node,
    string InterruptCpuList,
    string SteeredCpuList)
{
    public static InfoInterface Of(InterfaceFacts facts, InterfaceInterrupts interrupts) => new(
        facts.Name,
        facts.IsUp,
        facts.IsLoopback,
        facts.MtuBytes,
        LargestPayload(facts.MtuBytes, System.Net.Sockets.AddressFamily.InterNetwork),
        LargestPayload(facts.MtuBytes, System.Net.Sockets.AddressFamily.InterNetworkV6),
        [.. facts.Addresses.Select(static address => address.ToString())],
        interrupts.Node,
        CpuList.Format(interrupts.CpuNumbers),
        CpuList.Format(interrupts.SteeredCpuNumbers));

    private static int? LargestPayload(int? mtuBytes, System.Net.Sockets.AddressFamily family) =>
        mtuBytes is { } known ? PathMtu.LargestPayload(known, family) : null;
}
