using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>Receives datagrams, does the work for each, and sends nothing.</summary>
internal sealed class DiscardHandler(UdpShard shard, int workRounds, ServeLimit limit, TimeProvider time)
    : AppHandler(shard, workRounds, limit, time)
{
    protected override int Handle(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch) Visit(datagram.Payload);
        return batch.Count;
    }
}
