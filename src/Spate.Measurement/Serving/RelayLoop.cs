using Spate.HostTuning.Interfaces;

namespace Spate.Measurement.Serving;

/// <summary>
/// Finds destinations at which a relay itself listens: what it sends there comes back, without end. A loop over other
/// relays cannot be seen from here.
/// </summary>
public static class RelayLoop
{
    /// <summary>The first destination at which the relay listens; null for none.</summary>
    /// <param name="locals">Where it listens; port 0 matches nothing, since its port is not known yet.</param>
    /// <param name="destinations">Where it forwards to.</param>
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

        // A socket at [::] takes IPv4 too. What is sent to an unspecified address goes to the sender's own or to the
        // loopback (Linux ip_route_output_key_hash, ip6_datagram_connect).
        bool takesFamily = local.IsIPv6 == destination.IsIPv6 || (local.IsIPv6 && local.IsUnspecifiedAddress);
        if (!takesFamily) return false;
        if (destination.IsUnspecifiedAddress) return true;
        return local.IsUnspecifiedAddress ? LocalAddresses.Contains(destination.Address) : local == destination;
    }
}
