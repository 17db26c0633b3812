namespace Spate.Tests.Contracts;

/// <summary>Windows through completion ports, with GSO messages and coalesced receive.</summary>
public sealed class WinsockContract() : DatagramContract(UdpBackend.Winsock, offloads: true);
