using Spate.Serving;

namespace Spate.Measurement.Serving;

/// <summary>
/// Sends back. Not to the ports that echo loops run between (CERT advisory CA-1996-01): those of old services, below
/// 1024, and the server's own.
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
