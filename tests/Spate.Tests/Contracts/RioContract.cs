namespace Spate.Tests.Contracts;

/// <summary>Windows through Registered I/O.</summary>
public sealed class RioContract() : DatagramContract(UdpBackend.Rio, offloads: false);
