using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>Nothing there yet.</summary>
public abstract partial class DatagramContract
{
    [Fact]
    public async Task GetResult_CallStillWaits_ThrowsAndLeavesIt()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        byte[][] buffers = [new byte[4], new byte[4]];
        ValueTask<ReceivedDatagram> early = receiver.ReceiveFromAsync(buffers[0], Stop);

        Assert.Throws<InvalidOperationException>(() => early.GetAwaiter().GetResult());
        ValueTask<ReceivedDatagram> second = receiver.ReceiveFromAsync(buffers[1], Stop);
        SendNow(sender, receiver.LocalEndPoint, Payloads.Same(2, 4));

        Assert.Equal((4, 4), ((await early).Length, (await second).Length));
        Assert.Equal((0, 1), (TagOf(buffers[0]), TagOf(buffers[1])));
    }

    [Fact]
    public void Receive_NothingComes_TimesOut()
    {
        UdpSocket socket = BindLoopback();
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        byte[] buffer = new byte[10];
        TimeSpan brief = TimeSpan.FromMilliseconds(5);

        Assert.Equal(ReceiveStatus.Empty, socket.TryReceive(batch));
        Assert.Equal(ReceiveStatus.TimedOut, socket.Receive(batch, TimeSpan.Zero));
        Assert.Equal(ReceiveStatus.TimedOut, socket.Receive(batch, brief));
        Assert.Equal(ReceiveStatus.Empty, socket.TryReceiveFrom(buffer, out _));
        Assert.Equal(ReceiveStatus.TimedOut, socket.ReceiveFrom(buffer, TimeSpan.Zero, out _));
        Assert.Equal(ReceiveStatus.TimedOut, socket.ReceiveFrom(buffer, brief, out ReceivedDatagram datagram));

        Assert.Equal((0, 0, ReceiveStatus.TimedOut), (batch.Count, datagram.Length, datagram.Status));
        socket.TryReceiveFrom(buffer, out datagram);
        Assert.Equal(ReceiveStatus.Empty, datagram.Status);
        Assert.True(datagram.Peer.IsDefault);
        Assert.Equal(0, socket.GetCounters().ReceiveCalls);
        socket.Dispose();
        Assert.Equal(ReceiveStatus.Closed, socket.ReceiveFrom(buffer, out datagram));
        Assert.Equal(ReceiveStatus.Closed, datagram.Status);
    }

    [Fact]
    public async Task WaitReadableAsync_DatagramsAreQueued_IsTrueUntilAllAreTaken()
    {
        const int count = 3;
        UdpSocket socket = BindLoopback();
        using ReceiveBatch batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 1 });
        for (byte i = 0; i < count; i++) SendNow(socket, socket.LocalEndPoint, [i]);
        int received = 0;
        while (received < count)
        {
            Assert.True(await socket.WaitReadableAsync(Stop));
            if (socket.TryReceive(batch) == ReceiveStatus.Received) received += batch.Count;
        }

        ValueTask<bool> none = socket.WaitReadableAsync(Stop);
        socket.Dispose();
        Assert.False(await none);
    }

    [Fact]
    public async Task WaitReadableAsync_AnotherCallLeftDatagrams_IsTrue()
    {
        UdpSocket socket = BindLoopback();
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        UdpSocket sender = BindLoopback();
        using SendBatch two = sender.CreateSendBatch();
        for (byte i = 0; i < 2; i++) Assert.True(two.TryAdd([i], socket.LocalEndPoint));
        Assert.Equal(2, sender.Send(two).Sent);
        Assert.Equal(ReceiveStatus.Received, socket.ReceiveFrom(new byte[1], Limit, out _));

        Assert.True(await socket.WaitReadableAsync(Stop));

        Eventually(() => socket.TryReceive(batch) == ReceiveStatus.Received, "the second one was received");
        Assert.Equal(1, batch[0].Payload[0]);
    }

    [Fact]
    public void Receive_TimesOutAfterDatagrams_BatchIsEmpty()
    {
        UdpSocket socket = BindLoopback();
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        SendNow(socket, socket.LocalEndPoint, [1]);
        Assert.Equal(ReceiveStatus.Received, socket.Receive(batch, Timeout.InfiniteTimeSpan));
        Assert.Equal(1, batch.Count);

        Assert.Equal(ReceiveStatus.Empty, socket.TryReceive(batch));

        Assert.Equal(0, batch.Count);
        foreach (Datagram datagram in batch) Assert.Fail($"A datagram of {datagram.Payload.Length} bytes stayed.");
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_DatagramComesLater_WakesUp(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        for (int round = 0; round < 30; round++)
        {
            Task<List<byte[]>> waiting = Task.Run(() => ReceivePayloadsAsync(form, receiver, 1), Stop);
            Thread.SpinWait(round * 1000);
            SendNow(sender, receiver.LocalEndPoint, [(byte)round]);

            Assert.Equal([[(byte)round]], await waiting);
        }
    }

    [Fact]
    public async Task ReceiveFromAsync_SeveralWait_EachGetsOne()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        for (int round = 0; round < 20; round++)
        {
            byte[][] buffers = [.. Enumerable.Range(0, 8).Select(_ => new byte[100])];
            Task<ReceivedDatagram>[] waiting =
                [.. buffers.Select(buffer => receiver.ReceiveFromAsync(buffer, Stop).AsTask())];
            await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, Payloads.Same(8, 100));

            ReceivedDatagram[] received = await Task.WhenAll(waiting);

            Assert.All(received, datagram => Assert.Equal(100, datagram.Length));
            Assert.Equal(Enumerable.Range(0, 8), buffers.Select(TagOf));
        }
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task ReceiveFrom_TwoWaitForTwoDatagrams_EachGetsOne(bool segmented)
    {
        // As a GSO message they come to one of the two, who has to share.
        UdpSocket sender = BindLoopback(Options(segmented: segmented && _segments));
        UdpSocket receiver = BindLoopback();
        for (int round = 0; round < 200; round++)
        {
            Form first = round % 3 == 0 ? Form.OneAsync : Form.OneTimed;
            Form second = round % 2 == 0 ? Form.OneAsync : Form.One;
            Task<List<byte[]>>[] waiting =
            [
                Task.Run(() => ReceivePayloadsAsync(first, receiver, 1), Stop),
                Task.Run(() => ReceivePayloadsAsync(second, receiver, 1), Stop),
            ];
            Thread.SpinWait(5000);
            await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, Payloads.Same(2, 500));

            List<byte[]>[] received = await Task.WhenAll(waiting);

            Assert.Equal([0, 1], received.Select(one => TagOf(one[0])).Order());
        }
    }

    [Fact]
    public async Task ReceiveAsync_ManySocketsWait_EachGetsItsOwn()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket[] receivers =
            [.. Enumerable.Range(0, 50).Select(_ => BindLoopback(Options(receiveBufferBytes: null)))];
        byte[][] buffers = [.. receivers.Select(_ => new byte[10])];
        Task<ReceivedDatagram>[] waiting =
            [.. receivers.Select((receiver, i) => receiver.ReceiveFromAsync(buffers[i], Stop).AsTask())];

        for (int i = 0; i < receivers.Length; i++) SendNow(sender, receivers[i].LocalEndPoint, Payloads.Make(4, i));
        await Task.WhenAll(waiting);

        Assert.Equal(Enumerable.Range(0, 50), buffers.Select(TagOf));
    }

    [Fact]
    public async Task SendAsync_AndReceiveAsyncAtOnce_NothingIsLost()
    {
        UdpSocket socket = BindLoopback();
        Task receiving = Task.Run(() => ReceiveAllAsync(Form.BatchAsync, socket, 3000), Stop);
        for (int i = 0; i < 30; i++)
        {
            SendResult result = await SendAllAsync(
                i % 2 == 0 ? Form.BatchAsync : Form.OneAsync, socket, Payloads.Same(100, 64).To(socket.LocalEndPoint));
            Assert.Equal(new SendResult(100, 0, 0, SocketError.Success, SendStatus.Done), result);
        }

        await receiving;
    }
}
