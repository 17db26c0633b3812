using System.Net;

namespace Spate.Cli.Bench.Baselines;

/// <summary>Finds the endpoint object of a raw address, as programs that receive with SocketAddress do.</summary>
internal sealed class PeerLookup
{
    private static readonly IPEndPoint Factory = new(IPAddress.Any, 0);

    // A bench has one peer. The bound keeps other senders on this machine from filling the memory.
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
