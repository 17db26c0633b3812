namespace Spate.Tests.Contracts;

/// <summary>A datagram to be sent.</summary>
internal readonly record struct Outgoing(UdpEndPoint Peer, byte[] Payload);
