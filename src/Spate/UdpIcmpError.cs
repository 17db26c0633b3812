using System.Net.Sockets;

namespace Spate;

/// <summary>
/// An ICMP error that came back for a datagram sent earlier. Anybody can forge an ICMP error, so act on it only as a
/// hint (RFC 8085, 5.2).
/// </summary>
public readonly record struct UdpIcmpError
{
    /// <summary>The peer that the lost datagram was sent to.</summary>
    public UdpEndPoint Peer { get; init; }

    /// <summary>
    /// The error as a socket error: <see cref="SocketError.ConnectionRefused"/> for a port without a listener.
    /// </summary>
    public SocketError Error { get; init; }

    /// <summary>The ICMP or ICMPv6 type; null if the error came from this machine.</summary>
    public int? IcmpType { get; init; }

    /// <summary>The ICMP or ICMPv6 code; null if the error came from this machine.</summary>
    public int? IcmpCode { get; init; }

    /// <summary>The MTU of the next hop if the datagram was too big, otherwise null.</summary>
    public int? PathMtuBytes { get; init; }

    /// <summary>The router or host that reported the error; default if the error came from this machine.</summary>
    public UdpAddress Reporter { get; init; }
}
