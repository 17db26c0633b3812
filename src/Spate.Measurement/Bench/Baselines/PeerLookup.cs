using System.Net;

namespace Spate.Measurement.Bench.Baselines;

/// <summary>Endpoint objects by raw address, one per peer: what the SocketAddress calls need beside them.</summary>
internal sealed class PeerLookup
{
    private static readonly IPEndPoint Factory = new(IPAddress.Any, 0);

    // A bench has one peer; strangers on this machine must not fill memory.
    private const int MaxPeers = 1024;

    private readonly Dictionary<SocketAddress, IPEndPoint> _peers = [];

    public IPEndPoint Find(SocketAddress address)
    {
        if (_peers.TryGetValue(address, out IPEndPoint? peer)) return peer;
        peer = (IPEndPoint)Factory.Create(address);
        if (_peers.Count < MaxPeers)
        {
            var key = new SocketAddress(address.Family, address.Size);
            address.Buffer.CopyTo(key.Buffer);
            _peers[key] = peer;
        }
        return peer;
    }
}
