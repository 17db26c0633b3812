using Spate.Trains;

namespace Spate.Tests.Trains;

/// <summary>Every peer has a place of its own.</summary>
internal readonly struct PortHasher : IPeerHasher
{
    public static int Hash(in UdpEndPoint peer) => peer.Port;
}

/// <summary>Every peer has the same hash, so that few find a place.</summary>
internal readonly struct SameHasher : IPeerHasher
{
    public static int Hash(in UdpEndPoint peer) => -1;
}
