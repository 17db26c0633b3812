namespace Spate.Tests.Contracts;

/// <summary>Linux through an io_uring, datagram by datagram.</summary>
public sealed class UringPlainContract() : DatagramContract(UdpBackend.Uring, offloads: false);
