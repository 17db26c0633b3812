namespace Spate.Tests.Contracts;

/// <summary>Linux with recvmmsg and sendmmsg alone.</summary>
public sealed class MmsgPlainContract() : DatagramContract(UdpBackend.Mmsg, offloads: false);
