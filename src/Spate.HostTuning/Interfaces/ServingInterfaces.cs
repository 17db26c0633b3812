using System.Net;
using Spate.HostTuning.Files;

namespace Spate.HostTuning.Interfaces;

/// <summary>The interfaces whose datagrams reach a local address.</summary>
/// <param name="IsLoopback">Whether it is a loopback address: datagrams then never meet a device.</param>
/// <param name="Names">The interfaces; empty for the loopback and where nothing can be said.</param>
public sealed record ServingInterfaces(bool IsLoopback, IReadOnlyList<string> Names)
{
    /// <summary>
    /// Finds them: the interface that has the address; for the unspecified addresses (0.0.0.0, ::) and multicast groups
    /// the interfaces that are up and have a default route.
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

        bool isAny = plain.Equals(IPAddress.Any) || plain.Equals(IPAddress.IPv6Any) || IsMulticast(plain);
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

    // 224.0.0.0/4 (RFC 1112) and ff00::/8 (RFC 4291).
    private static bool IsMulticast(IPAddress address) =>
        address.IsIPv6Multicast || (address.GetAddressBytes() is { Length: 4 } bytes && bytes[0] >> 4 == 0xE);
}
