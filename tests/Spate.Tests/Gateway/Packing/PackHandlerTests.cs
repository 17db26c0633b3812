using System.Net;
using Microsoft.Extensions.Time.Testing;
using Spate.Gateway;
using Spate.Gateway.Packing;
using Spate.Gateway.Pipelines;
using Spate.Testing;
using Spate.Tests.Gateway.Pipelines;

namespace Spate.Tests.Gateway.Packing;

/// <summary>A shard that packs its datagrams: without a socket, and without a broker that takes the packs.</summary>
public sealed class PackHandlerTests : IDisposable
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:40000");
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(10);

    private readonly FakeTimeProvider _time = new();
    private readonly ShardPipeline _pipeline;
    private readonly TestShard _shard;

    public PackHandlerTests()
    {
        PipelinePlan plan = PipelineCase.Plan(_time);
        _pipeline = new ShardPipeline(plan, shardIndex: 0);
        UdpGatewayOptions options = GatewayCase.Options with
        {
            Socket = new UdpSocketOptions { TimeProvider = _time },
            PackWait = 2 * Tick,
        };
        PrefixRanges allowed = new([IPNetwork.Parse("192.0.2.0/24")]);
        PackHandlerOptions handler = new(options, allowed, plan.Clock, Tick);
        _shard = new TestShard(
            shard =>
            {
                _pipeline.Open(shard.LocalEndPoints);
                return new PackHandler(_pipeline, shard, handler);
            },
            new TestShardOptions { TickInterval = Tick, TimeProvider = _time });
    }

    private GatewayPipelineStatistics Now => _pipeline.Read();

    public void Dispose() => _shard.Dispose();

    [Fact]
    public void OnDatagrams_FromElsewhere_CountedAndNotTaken()
    {
        _shard.ReceiveBatch(
            new(Peer, [1]), new(UdpEndPoint.Parse("198.51.100.1:1"), [2]), new(UdpEndPoint.Parse("192.0.2.9:1"), [3]));

        Assert.Equal((3L, 1L, 2L), (Now.Accepted, Now.NotAllowed, Now.InFlight));
    }

    [Fact]
    public void OnTick_PackIsOlderThanTheWaitAllows_IsSubmitted()
    {
        _shard.Advance(Tick / 2);
        _shard.Receive(Peer, new byte[100]);

        _shard.Advance(Tick);
        Assert.Equal(0, Now.MessagesWaiting);
        _shard.Advance(Tick);

        // The wait is two ticks, and a tick and a half have passed.
        Assert.Equal(1, Now.MessagesWaiting);
    }

    [Fact]
    public void OnTick_OthersWaitToBePublished_LaterDatagramsShareAMessage()
    {
        const int count = 20;
        _shard.Receive(Peer, new byte[100]);
        _shard.Advance(Tick);
        Assert.Equal(1, Now.MessagesWaiting);

        for (int i = 1; i < count; i++)
        {
            _shard.Receive(Peer, new byte[100]);
            _shard.Advance(Tick);
        }

        Assert.Equal((1, (long)count), (Now.MessagesWaiting, Now.InFlight));
    }

    [Fact]
    public void OnStop_PackIsOpen_IsSubmitted()
    {
        _shard.Receive(Peer, new byte[100]);

        _shard.Stop();

        Assert.Equal((1, 1L), (Now.MessagesWaiting, Now.InFlight));
    }
}
