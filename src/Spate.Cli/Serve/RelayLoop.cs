using Spate.HostTuning.Reading.Interfaces;

namespace Spate.Cli.Serve;

/// <summary>
/// Finds destinations at which a relay itself listens: datagrams sent there would come back without end. A loop through
/// other relays cannot be detected here.
/// </summary>
internal static class RelayLoop
{
    /// <summary>The first destination at which the relay listens; null for none.</summary>
    /// <param name="locals">With port 0, which the system has yet to choose, an end point matches nothing.</param>
    public static UdpEndPoint? Find(IReadOnlyList<UdpEndPoint> locals, IReadOnlyList<UdpEndPoint> destinations)
    {
        ArgumentNullException.ThrowIfNull(locals);
        ArgumentNullException.ThrowIfNull(destinations);
        foreach (UdpEndPoint destination in destinations)
        {
            if (locals.Any(local => IsReached(local, destination))) return destination;
        }

        return null;
    }

    private static bool IsReached(UdpEndPoint local, UdpEndPoint destination)
    {
        if (local.Port == 0 || local.Port != destination.Port) return false;

        // A socket at [::] takes IPv4 too. A datagram to an unspecified address goes to the sender's own address or to
        // the loopback (Linux ip_route_output_key_hash, ip6_datagram_connect).
        bool takesFamily = local.IsIPv6 == destination.IsIPv6 || (local.IsIPv6 && local.Address.IsUnspecified);
        if (!takesFamily) return false;
        if (destination.Address.IsUnspecified) return true;
        return local.Address.IsUnspecified
            ? LocalAddresses.Contains(destination.Address.ToIPAddress())
            : local == destination;
    }
}
