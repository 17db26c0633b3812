namespace Spate.Tests.Contracts;

/// <summary>Linux through an io_uring, with trains and coalesced receive.</summary>
public sealed class UringContract() : DatagramContract(UdpBackend.Uring, offloads: true);
