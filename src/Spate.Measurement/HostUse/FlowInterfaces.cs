using System.Net;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.Measurement.HostUse;

/// <summary>Tells which interfaces a socket's datagrams take.</summary>
internal static class FlowInterfaces
{
    /// <summary>None if unknown. Without a peer, everything that reaches the local address counts.</summary>
    public static InterfaceFacts[] Find(IPAddress local, UdpEndPoint remote, IReadOnlyList<InterfaceFacts> all)
    {
        if (remote.IsDefault)
        {
            var serving = ServingInterfaces.Find(local, all);
            return [.. all.Where(one =>
                serving.IsLoopback ? one.IsLoopback : serving.Names.Contains(one.Name, StringComparer.Ordinal))];
        }

        // What goes to one of the host's own addresses takes the loopback.
        if (LocalAddresses.Contains(remote.Address.ToIPAddress())) return [.. all.Where(static one => one.IsLoopback)];

        // The route may use another interface than the one that has the socket's address. The address of a service is
        // often the loopback's, which carries none of its datagrams.
        IPAddress routed = LocalAddresses.Toward(remote.ToIPEndPoint()) ?? local;
        return [.. all.Where(one =>
            !one.IsLoopback && (one.Addresses.Contains(local) || one.Addresses.Contains(routed)))];
    }
}
