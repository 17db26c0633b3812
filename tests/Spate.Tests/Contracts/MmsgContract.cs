namespace Spate.Tests.Contracts;

/// <summary>Linux with trains and coalesced receive.</summary>
public sealed class MmsgContract() : DatagramContract(UdpBackend.Mmsg, offloads: true);
