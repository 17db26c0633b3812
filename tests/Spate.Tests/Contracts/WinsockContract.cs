namespace Spate.Tests.Contracts;

/// <summary>Windows through completion ports, with GSO messages and coalesced receive.</summary>
[OverStandIn("segmented send and coalesced receive")]
public sealed class WinsockContract() : DatagramContract(UdpBackend.Winsock, offloads: true);
