namespace Spate.Tests.Contracts;

/// <summary>The reference backend.</summary>
public sealed class PortableContract() : DatagramContract(UdpBackend.Portable, offloads: false);
