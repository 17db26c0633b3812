namespace Spate.Tests.Contracts;

/// <summary>Awaited calls with a time limit.</summary>
public abstract partial class DatagramContract
{
    [Theory, InlineData(0), InlineData(5)]
    public async Task ReceiveAsync_NothingInTime_TimesOutAndTheNextReceives(int milliseconds)
    {
        UdpSocket socket = BindLoopback();
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        byte[] buffer = new byte[10];
        TimeSpan brief = TimeSpan.FromMilliseconds(milliseconds);

        Assert.Equal(ReceiveStatus.TimedOut, await socket.ReceiveAsync(batch, brief, Stop));
        ReceivedDatagram none = await socket.ReceiveFromAsync(buffer, brief, Stop);
        Assert.Equal((ReceiveStatus.TimedOut, 0, true), (none.Status, none.Length, none.Peer.IsDefault));

        // The objects of the calls above serve these too: their limits must not end them.
        ValueTask<ReceivedDatagram> one = socket.ReceiveFromAsync(buffer, Limit, Stop);
        SendNow(socket, socket.LocalEndPoint, [1]);
        Assert.Equal((ReceiveStatus.Received, 1), ((await one).Status, buffer[0]));
        ValueTask<ReceiveStatus> many = socket.ReceiveAsync(batch, Stop);
        SendNow(socket, socket.LocalEndPoint, [2]);
        Assert.Equal(ReceiveStatus.Received, await many);
        Assert.Equal(2, batch[0].Payload[0]);
    }

    [Fact]
    public async Task ReceiveAsync_ManyTimeOutAtOnce_EachEndsOnce()
    {
        UdpSocket socket = BindLoopback();
        TimeSpan brief = TimeSpan.FromMilliseconds(1);
        for (int round = 0; round < 20; round++)
        {
            ReceivedDatagram[] ended = await Task.WhenAll(Enumerable.Range(0, 8)
                .Select(_ => socket.ReceiveFromAsync(new byte[1], brief, Stop).AsTask()));

            Assert.All(ended, one => Assert.Equal(ReceiveStatus.TimedOut, one.Status));
        }
    }

    [Fact]
    public async Task SendAsync_Limited_SendsAsWithoutALimit()
    {
        UdpSocket receiver = BindLoopback();
        UdpSocket sender = Connect(receiver.LocalEndPoint);
        using SendBatch batch = sender.CreateSendBatch();
        Assert.True(batch.TryAdd([1], receiver.LocalEndPoint));

        Assert.True((await sender.SendAsync(batch, Limit, Stop)).AllSent);
        Assert.True((await sender.SendAsync(new byte[] { 2 }, Limit, Stop)).AllSent);
        Assert.True((await sender.SendToAsync(new byte[] { 3 }, default, TimeSpan.Zero, Stop)).AllSent);

        Assert.Equal([[1], [2], [3]], await ReceivePayloadsAsync(Form.Batch, receiver, 3));
        TimeSpan negative = TimeSpan.FromMilliseconds(-2);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            async () => await sender.SendAsync(batch, negative, Stop));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            async () => await sender.SendToAsync(new byte[1], default, negative, Stop));
    }

    [Fact]
    public async Task ReceiveFromAsync_LimitedAndClosed_ThrowsAsWithoutALimit()
    {
        UdpSocket socket = BindLoopback();
        ValueTask<ReceivedDatagram> waiting = socket.ReceiveFromAsync(new byte[1], Limit, Stop);

        await socket.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await waiting);
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await socket.ReceiveFromAsync(new byte[1], Limit, Stop));
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await socket.ReceiveFromAsync(new byte[1], TimeSpan.Zero, Stop));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            async () => await socket.ReceiveFromAsync(new byte[1], TimeSpan.FromMilliseconds(-2), Stop));
    }
}
