using Spate.Serving.Shards;

namespace Spate.Tests.Serving.Shards;

/// <summary>The bounds of posted datagrams, which UdpShard.TryEnqueue and docs/servers.md state.</summary>
public sealed class ReplyQueueTests
{
    [Fact]
    public void TryEnqueue_256Waiting_IsRefused()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using var queue = new ReplyQueue(socket, new SendBatchOptions());

        for (int i = 0; i < 256; i++) Assert.True(queue.TryEnqueue([1], socket.LocalEndPoint));

        Assert.False(queue.TryEnqueue([1], socket.LocalEndPoint));
        Assert.Equal(256, queue.TakePosted().Count);
        Assert.True(queue.TryEnqueue([1], socket.LocalEndPoint));
    }

    [Fact]
    public void TryEnqueue_128KibibytesWaiting_IsRefused()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using var queue = new ReplyQueue(socket, new SendBatchOptions());
        byte[] payload = new byte[32 * 1024];

        for (int i = 0; i < 4; i++) Assert.True(queue.TryEnqueue(payload, socket.LocalEndPoint));

        Assert.False(queue.TryEnqueue([1], socket.LocalEndPoint));
    }
}
