namespace Spate.Gateway.Packing;

/// <summary>Which partition a datagram goes to. For one thread.</summary>
internal sealed class Partitioner(int partitionCount, GatewayPartitioning partitioning)
{
    private UdpEndPoint _lastPeer;
    private int _partition;

    /// <summary>The partition of a datagram, from 0.</summary>
    public int Of(in UdpEndPoint peer)
    {
        if (partitionCount == 1 || partitioning == GatewayPartitioning.RoundRobin || peer == _lastPeer)
        {
            return _partition;
        }

        _lastPeer = peer;
        _partition = (int)(((ulong)(uint)peer.GetHashCode() * (uint)partitionCount) >> 32);
        return _partition;
    }

    /// <summary>A pack was closed: in turn, the next partition is filled.</summary>
    public void OnSubmitted()
    {
        if (partitioning == GatewayPartitioning.RoundRobin) _partition = (_partition + 1) % partitionCount;
    }
}
