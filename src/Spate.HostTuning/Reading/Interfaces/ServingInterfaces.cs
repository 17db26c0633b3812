using System.Net;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>The interfaces whose datagrams reach a local address; none for the loopback, which has no device.</summary>
internal sealed record ServingInterfaces(bool IsLoopback, IReadOnlyList<string> Names)
{
    /// <summary>
    /// The one that has the address; for unspecified addresses and multicast groups those that are up and have a
    /// default route. An IPv4-mapped address counts as the IPv4 one.
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
