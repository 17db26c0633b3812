using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>Cancelling an awaited call: it ends, and no datagram with it.</summary>
public abstract partial class DatagramContract
{
    [Theory, InlineData(Form.BatchAsync), InlineData(Form.OneAsync)]
    public async Task ReceiveAsync_Cancelled_EndsAndLosesNothing(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        for (int round = 0; round < 10; round++)
        {
            using CancellationTokenSource source = new();
            Task waiting = StartReceive(form, receiver, source.Token);
            Assert.False(waiting.IsCompleted);

            await source.CancelAsync();

            var cancelled = await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => waiting.WaitAsync(Limit, Stop));
            Assert.Equal(source.Token, cancelled.CancellationToken);
            SendNow(sender, receiver.LocalEndPoint, [(byte)round]);
            Assert.Equal([[(byte)round]], await ReceivePayloadsAsync(form, receiver, 1));
        }
    }

    [Theory, InlineData(Form.BatchAsync), InlineData(Form.OneAsync)]
    public async Task ReceiveAsync_CancelledBefore_TakesNothing(Form form)
    {
        UdpSocket socket = BindLoopback();
        SendNow(socket, socket.LocalEndPoint, [1]);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => StartReceive(form, socket, new CancellationToken(canceled: true)));

        Assert.Equal([[1]], await ReceivePayloadsAsync(form, socket, 1));
    }

    [Fact]
    public void Async_CancelledOrClosedBefore_IsToldByTheTask()
    {
        UdpSocket socket = BindLoopback();
        CancellationToken cancelled = new(canceled: true);
        using ReceiveBatch incoming = socket.CreateReceiveBatch();
        using SendBatch outgoing = socket.CreateSendBatch();

        Assert.True(socket.ReceiveAsync(incoming, cancelled).AsTask().IsCanceled);
        Assert.True(socket.ReceiveFromAsync(new byte[1], cancelled).AsTask().IsCanceled);
        Assert.True(socket.SendAsync(outgoing, cancelled).AsTask().IsCanceled);
        Assert.True(socket.SendAsync(outgoing, Limit, cancelled).AsTask().IsCanceled);
        Assert.True(socket.SendToAsync(new byte[1], socket.LocalEndPoint, cancelled).AsTask().IsCanceled);
        socket.Dispose();
        Assert.True(socket.ReceiveFromAsync(new byte[1], CancellationToken.None).AsTask().IsFaulted);
    }

    [Fact]
    public async Task Send_CancelledBeforeAndWrongArgument_IsAnArgumentError()
    {
        UdpSocket socket = BindLoopback();
        CancellationToken cancelled = new(canceled: true);
        byte[] tooLong = new byte[SendBatch.MaxPayloadBytes + 1];

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            async () => await socket.SendToAsync(tooLong, socket.LocalEndPoint, cancelled));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            async () => await socket.SendAsync(tooLong, Limit, cancelled));
        await Assert.ThrowsAsync<ArgumentNullException>(
            async () => await socket.SendAsync((SendBatch)null!, cancelled));
    }

    [Fact]
    public async Task SendAsync_CancelledBefore_SendsNothing()
    {
        UdpSocket socket = BindLoopback();
        CancellationToken cancelled = new(canceled: true);
        using SendBatch batch = socket.CreateSendBatch();
        Assert.True(batch.TryAdd([1], socket.LocalEndPoint));

        var fault = await Assert.ThrowsAsync<SendCanceledException>(
            async () => await socket.SendAsync(batch, cancelled));
        await Assert.ThrowsAsync<SendCanceledException>(async () => await socket.SendAsync(batch, Limit, cancelled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await socket.SendToAsync(new byte[1], socket.LocalEndPoint, cancelled));

        Assert.Equal(new(0, 0, 1, SocketError.Success, SendStatus.None), fault.Result);
        Assert.Equal(cancelled, fault.CancellationToken);
        Assert.Equal(1, batch.Count);
        Assert.Equal(0, socket.GetCounters().DatagramsSent);
    }

    [Theory, InlineData(Form.BatchAsync), InlineData(Form.OneAsync)]
    public async Task ReceiveAsync_CancelledAsTheDatagramComes_EitherEndsOrHasIt(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        for (int round = 0; round < 200; round++)
        {
            using CancellationTokenSource source = new();
            Task waiting = StartReceive(form, receiver, source.Token);
            Task cancelling = Task.Run(() => source.Cancel(), Stop);
            SendNow(sender, receiver.LocalEndPoint, [(byte)round]);
            await cancelling;
            bool received = await EndedWithDatagramAsync(waiting);

            // A cancelled call that took nothing left the datagram for the next call.
            if (!received) Assert.Equal([[(byte)round]], await ReceivePayloadsAsync(form, receiver, 1));
        }

        Assert.Equal(200, receiver.GetCounters().DatagramsReceived);
    }

    [Fact]
    public async Task ReceiveFromAsync_OneOfThreeCancelled_OthersGetTheirs()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        byte[][] buffers = [new byte[4], new byte[4], new byte[4]];
        using CancellationTokenSource source = new();
        Task<ReceivedDatagram> first = receiver.ReceiveFromAsync(buffers[0], Stop).AsTask();
        Task<ReceivedDatagram> second = receiver.ReceiveFromAsync(buffers[1], source.Token).AsTask();
        Task<ReceivedDatagram> third = receiver.ReceiveFromAsync(buffers[2], Stop).AsTask();

        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);
        SendNow(sender, receiver.LocalEndPoint, Payloads.Same(2, 4));

        Assert.Equal((4, 4), ((await first).Length, (await third).Length));
        Assert.Equal((0, 1), (TagOf(buffers[0]), TagOf(buffers[2])));
    }

    private Task StartReceive(Form form, UdpSocket socket, CancellationToken token) => form == Form.OneAsync
        ? socket.ReceiveFromAsync(new byte[10], token).AsTask()
        : socket.ReceiveAsync(Own(socket.CreateReceiveBatch(new() { SlotCount = 1 })), token).AsTask();

    private async Task<bool> EndedWithDatagramAsync(Task waiting)
    {
        try
        {
            await waiting.WaitAsync(Limit, Stop);
            return true;
        }
        catch (OperationCanceledException) when (!Stop.IsCancellationRequested)
        {
            return false;
        }
    }
}
