namespace Spate.Tests.Contracts;

/// <summary>Linux through an io_uring, with GSO messages and coalesced receive.</summary>
public sealed class UringContract() : DatagramContract(UdpBackend.Uring, offloads: true);
