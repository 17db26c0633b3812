using Spate.Serving;

namespace Spate.Measurement.Serving;

/// <summary>
/// Sends each datagram back to its peer. Ports between which echo loops run get no answer (CERT advisory CA-1996-01):
/// the ports of old services, below 1024, and the server's own port.
/// </summary>
internal sealed class EchoHandler(UdpShard shard, int workRounds, ServeLimit limit, TimeProvider time)
    : AppHandler(shard, workRounds, limit, time)
{
    private const int FirstUnprivilegedPort = 1024;

    protected override int Handle(ReceiveBatch batch, SendBatch replies)
    {
        int ownPort = Shard.LocalEndPoints[Shard.LocalIndex].Port;
        foreach (Datagram datagram in batch)
        {
            Visit(datagram.Payload);
            int port = datagram.Peer.Port;
            if (port < FirstUnprivilegedPort || port == ownPort) Tally.CountUnanswered();
            else Forward(datagram, datagram.Peer, replies);
        }

        return batch.Count;
    }
}
