namespace Spate.Tests.Contracts;

/// <summary>Windows through completion ports, datagram by datagram.</summary>
public sealed class WinsockPlainContract() : DatagramContract(UdpBackend.Winsock, offloads: false);
