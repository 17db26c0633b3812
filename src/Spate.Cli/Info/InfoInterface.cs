using System.Net.Sockets;
using System.Text.Json.Serialization;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.Cli.Info;

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
    public override string ToString() => RecordText.Of(
        nameof(InfoInterface), PrintMembers, (nameof(Addresses), Addresses));

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
