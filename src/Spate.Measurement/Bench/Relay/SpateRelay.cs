using System.Net;
using Spate.Measurement.Bench.Batched;
using Spate.Serving;

namespace Spate.Measurement.Bench.Relay;

/// <summary>The library's server with one shard; nothing is copied.</summary>
internal sealed class SpateRelay : RelayUnderTest
{
    private readonly UdpServer _server;

    public SpateRelay(SpateRow row, IPEndPoint destination, int? cpu)
    {
        UdpEndPoint next = UdpEndPoint.FromIPEndPoint(destination);
        var options = new UdpServerOptions
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            ThreadCount = 1,
            CpuIndexes = cpu is int index ? [index] : [],
            Socket = new UdpSocketOptions
            {
                Backend = row.Backend,
                CoalescedReceive = row.UsesTrains,
                SegmentedSend = row.UsesTrains,
            },
        };
        _server = UdpServer.Start(options, shard => new Forwarder(shard, next));
    }

    public override IPEndPoint LocalEndPoint => _server.LocalEndPoints[0].ToIPEndPoint();

    public override long? CpuNanoseconds => ServerClock.ReadNanoseconds(_server);

    public override void Dispose() => _server.Dispose();

    private sealed class Forwarder(UdpShard shard, UdpEndPoint next) : UdpHandler
    {
        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
            foreach (Datagram datagram in batch)
            {
                if (replies.TryForward(datagram, next)) continue;
                shard.Flush(replies);
                replies.TryForward(datagram, next);
            }
        }
    }
}
