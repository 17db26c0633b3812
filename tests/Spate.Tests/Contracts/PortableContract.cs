namespace Spate.ContractTests;

/// <summary>The reference backend.</summary>
public sealed class PortableContract() : DatagramContract(UdpBackend.Portable, offloads: false);
