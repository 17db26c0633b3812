namespace Spate.Tests.Contracts;

/// <summary>Linux with GSO messages and coalesced receive.</summary>
public sealed class MmsgContract() : DatagramContract(UdpBackend.Mmsg, offloads: true);
