using Microsoft.Extensions.Time.Testing;
using Spate.Serving;

namespace Spate.Testing;

/// <summary>
/// The options of a <see cref="TestShard"/>. It reads them once, when it is made, so the object may be reused.
/// </summary>
public sealed record TestShardOptions
{
    /// <summary>
    /// <see cref="UdpServerOptions.LocalEndPoints"/>: the addresses and ports that the shard serves, 1 to 64 end
    /// points. Nothing is bound, so each address is possible, and a port 0 stays 0. Default: 127.0.0.1:9999.
    /// </summary>
    public IReadOnlyList<UdpEndPoint> LocalEndPoints { get; init => field = RecordList.Copy(value); } =
        RecordList.Copy([UdpEndPoint.Loopback(9999)]);

    /// <summary>
    /// <see cref="UdpServerOptions.TickInterval"/>: the interval between calls of <see cref="UdpHandler.OnTick"/>, in
    /// virtual time, at least 1 ms. Default null: no calls.
    /// </summary>
    public TimeSpan? TickInterval { get; init; }

    /// <summary>
    /// <see cref="UdpServerOptions.ReplyTimeout"/>: how long replies wait for room in the send buffer, in virtual time.
    /// Default 1 s. See <see cref="TestShard.SendBufferRoom"/>.
    /// </summary>
    public TimeSpan ReplyTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// <see cref="UdpServerOptions.ReceiveBatch"/>: the number and size of the slots. Default: as in a server.
    /// </summary>
    public ReceiveBatchOptions ReceiveBatch { get; init; } = new();

    /// <summary>
    /// <see cref="UdpServerOptions.ReplyBatch"/>: the capacity and memory of the reply batches. Default: as in a
    /// server.
    /// </summary>
    public SendBatchOptions ReplyBatch { get; init; } = new();

    /// <summary>
    /// <see cref="UdpShard.Index"/>: the index of the shard, 0 or more. Default 0.
    /// </summary>
    public int ShardIndex { get; init; }

    /// <summary>
    /// <see cref="UdpShard.KeepsPeers"/>: false for a shard of a server that does not keep peers, which makes
    /// <see cref="UdpShard.CreateSessionTable{TSession}"/> throw. Default true.
    /// </summary>
    public bool KeepsPeers { get; init; } = true;

    /// <summary>
    /// Whether the methods of <see cref="TestShard"/> throw the exception of a handler that has thrown, after the shard
    /// has counted and reported it and has dropped its replies. After several faults in one call, the first is thrown.
    /// Default true. With false a fault only appears in <see cref="TestShard.Faults"/>, as it only appears in
    /// statistics and reports of a server. <see cref="TestShard.Dispose"/> never throws.
    /// </summary>
    public bool ThrowOnFault { get; init; } = true;

    /// <summary><see cref="UdpServerOptions.OnFault"/>: called as by a server. Default null: no call.</summary>
    public Action<UdpServerFault>? OnFault { get; init; }

    /// <summary>
    /// The virtual time of the shard. Several shards may have the same. Default null: a time of its own, see
    /// <see cref="TestShard.TimeProvider"/>.
    /// </summary>
    public FakeTimeProvider? TimeProvider { get; init; }
}
