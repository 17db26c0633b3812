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
    /// groups the interfaces that are up and have a default route.
    /// </summary>
    /// <param name="local">The address bound to; an IPv4-mapped one counts as the IPv4 address.</param>
    /// <param name="interfaces">The host's interfaces.</param>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    /// <returns>The interfaces, possibly none.</returns>
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

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(ServingInterfaces), PrintMembers, (nameof(Names), Names));
}
