using Spate.Testing;

namespace Spate.Tests.Serving.Shards;

/// <summary>The bounds of posted datagrams, which UdpShard.TryEnqueue and docs/build/servers.md state.</summary>
public sealed class ReplyQueueTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:40000");

    [Fact]
    public void TryEnqueue_256Waiting_IsRefused()
    {
        using TestShard test = new(_ => new TestHandler());

        for (int i = 0; i < 256; i++) Assert.True(test.Shard.TryEnqueue([1], Peer));

        Assert.False(test.Shard.TryEnqueue([1], Peer));
        test.Run();
        Assert.Equal(256, test.Sent.Count);
        Assert.True(test.Shard.TryEnqueue([1], Peer));
    }

    [Fact]
    public void TryEnqueue_WithAControl_LeavesWithIt()
    {
        using TestShard test = new(_ => new TestHandler());
        SendControl control = new() { LocalAddress = UdpAddress.Loopback, TrafficClass = 4 };

        Assert.True(test.Shard.TryEnqueue([1], Peer, control));
        Assert.Throws<ArgumentException>(
            () => test.Shard.TryEnqueue([1], Peer, new SendControl { LocalAddress = UdpAddress.IPv6Loopback }));
        Assert.Throws<ArgumentOutOfRangeException>(() => test.Shard.TryEnqueue([1], Peer, control, 1));
        test.Run();

        Assert.Equal(control, Assert.Single(test.Sent).Control);
    }

    [Fact]
    public void TryEnqueue_128KibibytesWaiting_IsRefused()
    {
        using TestShard test = new(_ => new TestHandler());
        byte[] payload = new byte[32 * 1024];

        for (int i = 0; i < 4; i++) Assert.True(test.Shard.TryEnqueue(payload, Peer));

        Assert.False(test.Shard.TryEnqueue([1], Peer));
    }
}
