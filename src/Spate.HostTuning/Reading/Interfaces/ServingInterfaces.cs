using System.Net;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>The interfaces whose datagrams reach a local address.</summary>
/// <param name="IsLoopback">Whether the address is a loopback address: datagrams then never meet a device.</param>
/// <param name="Names">The interfaces' names; empty for the loopback and where unknown.</param>
internal sealed record ServingInterfaces(bool IsLoopback, IReadOnlyList<string> Names)
{
    /// <summary>
    /// Finds the interfaces: the one that has the address; for the unspecified addresses (0.0.0.0, ::) and multicast
    /// groups the interfaces that are up and have a default route. <c>local</c>: the address bound to; an IPv4-mapped
    /// one counts as the IPv4 address.
    /// </summary>
    public static ServingInterfaces Find(
        IPAddress local, IReadOnlyList<InterfaceFacts> interfaces, string rootPath = "/")
    {
        IPAddress plain = local.IsIPv4MappedToIPv6 ? local.MapToIPv4() : local;
        if (IPAddress.IsLoopback(plain)) return new ServingInterfaces(IsLoopback: true, []);

        bool isAny = UdpAddress.FromIPAddress(plain) is { IsUnspecified: true } or { IsMulticast: true };
        List<string> routed = isAny ? DefaultRoutes.Read(new HostFiles(rootPath)) : [];
        var names = new List<string>();
        foreach (InterfaceFacts network in interfaces)
        {
            if (isAny ? network.IsUp && !network.IsLoopback && routed.Contains(network.Name)
                : network.Addresses.Contains(plain))
            {
                names.Add(network.Name);
            }
        }

        return new ServingInterfaces(IsLoopback: false, names);
    }

    public override string ToString() => RecordText.Of(nameof(ServingInterfaces), PrintMembers, (nameof(Names), Names));
}
