using System.Net.Sockets;

namespace Spate;

/// <summary>
/// An ICMP error that came back for a datagram sent earlier. Anybody can forge one, so act on it only as a hint (RFC
/// 8085, 5.2).
/// </summary>
/// <param name="Peer">The peer that the lost datagram was sent to.</param>
/// <param name="Error">
/// The error as a socket error: <see cref="SocketError.ConnectionRefused"/> for a port without a listener.
/// </param>
/// <param name="IcmpType">The ICMP or ICMPv6 type; 0 where the error came from this machine.</param>
/// <param name="IcmpCode">The ICMP or ICMPv6 code.</param>
/// <param name="PathMtuBytes">The next hop's MTU when the datagram was too big, otherwise 0.</param>
/// <param name="Reporter">The router or host that reported it; default where the error came from this machine.</param>
public readonly record struct UdpIcmpError(
    UdpEndPoint Peer, SocketError Error, int IcmpType, int IcmpCode, int PathMtuBytes, UdpEndPoint Reporter);
