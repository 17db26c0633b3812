using System.Net.Sockets;
using System.Text.Json.Serialization;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.Cli.Info;

/// <summary>A network interface and where its interrupts are handled.</summary>
/// <param name="Name">Its name, for example <c>eth0</c>.</param>
/// <param name="IsUp">Whether it is up.</param>
/// <param name="IsLoopback">Whether it is a loopback interface.</param>
/// <param name="MtuBytes">The largest packet that it takes; null where the system does not tell.</param>
/// <param name="MaxIpv4PayloadBytes">The largest UDP payload over IPv4 in one packet; null if the MTU is.</param>
/// <param name="MaxIpv6PayloadBytes">The same over IPv6.</param>
/// <param name="Addresses">Its addresses.</param>
/// <param name="Node">See <see cref="InterfaceInterrupts.Node"/>.</param>
/// <param name="InterruptCpuList">
/// The CPUs that handle its interrupts, for example <c>0-3</c>; empty where unknown.
/// </param>
/// <param name="SteeredCpuList">The CPUs that its packets are steered to (RPS); empty for none.</param>
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
    /// <summary>All values as text, at most 16 elements of each list.</summary>
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
