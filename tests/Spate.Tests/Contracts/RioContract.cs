namespace Spate.Tests.Contracts;

/// <summary>Windows through Registered I/O.</summary>
[OverStandIn("Registered I/O")]
public sealed class RioContract() : DatagramContract(UdpBackend.Rio, offloads: false);
