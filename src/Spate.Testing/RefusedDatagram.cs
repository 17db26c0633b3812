using System.Net.Sockets;

namespace Spate.Testing;

/// <summary>A datagram of a handler that every system refuses to send, and the reason.</summary>
public sealed record RefusedDatagram
{
    internal RefusedDatagram(SentDatagram datagram, SocketError error)
    {
        Datagram = datagram;
        Error = error;
    }

    /// <summary>The datagram, which was not sent.</summary>
    public SentDatagram Datagram { get; }

    /// <summary>
    /// The reason: <see cref="SocketError.InvalidArgument"/> if the peer is <c>default</c> or has port 0,
    /// <see cref="SocketError.AddressFamilyNotSupported"/> if the peer is of IPv6 and the local end point of IPv4,
    /// <see cref="SocketError.MessageSize"/> if the payload is longer than 65,507 bytes and the peer is of IPv4.
    /// </summary>
    public SocketError Error { get; }
}
