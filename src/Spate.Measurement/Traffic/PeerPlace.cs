using System.Net;

namespace Spate.Measurement.Traffic;

/// <summary>Where the other end of a flow is.</summary>
internal enum PeerPlace
{
    /// <summary>On another host, or on several ones.</summary>
    Elsewhere,

    /// <summary>On this host, in this network namespace.</summary>
    ThisHost,

    /// <summary>Anyone may send: the first datagram shows it.</summary>
    Unknown,
}

/// <summary>Tells where the other end of a flow is: pure.</summary>
internal static class PeerPlaces
{
    /// <summary>Where the peers of a flow are.</summary>
    /// <param name="ends">The local and the remote end of each; the remote one is the default where anyone may send.
    /// </param>
    /// <param name="ownAddresses">The addresses of this host's interfaces; read only where they matter.</param>
    public static PeerPlace Of(
        IReadOnlyList<(UdpEndPoint Local, UdpEndPoint Remote)> ends, Lazy<IReadOnlySet<IPAddress>> ownAddresses) =>
        ends.All(end => IsThisHost(end.Remote.IsDefault ? LoopbackOf(end.Local) : end.Remote, ownAddresses))
            ? PeerPlace.ThisHost
            : ends.Any(static end => end.Remote.IsDefault) ? PeerPlace.Unknown : PeerPlace.Elsewhere;

    /// <summary>
    /// Whether a peer is on this host. A datagram to an unspecified address goes to the loopback.
    /// </summary>
    public static bool IsThisHost(UdpEndPoint peer, Lazy<IReadOnlySet<IPAddress>> ownAddresses) =>
        !peer.IsDefault
        && (peer.Address.IsLoopback || peer.Address.IsUnspecified
            || ownAddresses.Value.Contains(peer.Address.ToIPAddress()));

    // Nobody but this host sends to a loopback address.
    private static UdpEndPoint LoopbackOf(UdpEndPoint local) => local.Address.IsLoopback ? local : default;
}
