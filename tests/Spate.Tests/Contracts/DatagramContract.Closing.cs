using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>Closing: everybody leaves, at once, and nothing is left behind.</summary>
public abstract partial class DatagramContract
{
    private const int ClosingRounds = 25;

    [Theory, MemberData(nameof(Forms.Waiting), MemberType = typeof(Forms))]
    public async Task Dispose_ReceiveWaits_EndsItAndFreesThePort(Form form)
    {
        Random random = RandomCase.Create();
        UdpEndPoint local = OwnAddress.New();
        for (int round = 0; round < ClosingRounds; round++)
        {
            UdpSocket socket = Bind(local);
            Task waiting = Task.Run(() => AssertClosedAsync(form, socket), Stop);

            // Now before, now while it waits.
            Thread.SpinWait(random.Next(200_000));
            socket.Dispose();

            await waiting.WaitAsync(Limit, Stop);
            Assert.True(socket.SafeHandle.IsClosed);
            Assert.Equal(0, socket.GetCounters().DatagramsReceived);
        }
    }

    [Fact]
    public async Task Dispose_DatagramsWaitInTheSocket_AreCountedAsUnread()
    {
        UdpSocket receiver = BindLoopback();
        UdpSocket sender = BindLoopback();
        await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, Payloads.Of(100, 100, 100, 100, 70));
        await ReceivePayloadsAsync(Form.One, receiver, 2);
        UdpCounters open = receiver.GetCounters();

        receiver.Dispose();

        UdpCounters closed = receiver.GetCounters();
        Assert.Equal((2, 200, 0), (open.DatagramsReceived, open.BytesReceived, open.DatagramsUnread));
        Assert.Equal((2, 200), (closed.DatagramsReceived, closed.BytesReceived));

        // Without coalescing a call takes one datagram: the rest was still the system's. A ring has taken all of them.
        // Winsock counts those that its posted receives hold.
        bool takesAll = _coalesces || _backend is UdpBackend.Uring;
        if (takesAll) Assert.Equal(3, closed.DatagramsUnread);
        bool receivesBefore = _backend is UdpBackend.Winsock or UdpBackend.Rio;
        Assert.InRange(closed.DatagramsUnread, 0, receivesBefore || takesAll ? 3 : 0);
    }

    [Theory, MemberData(nameof(Forms.Waiting), MemberType = typeof(Forms))]
    public async Task Dispose_ConnectedReceiveWaits_EndsItWithoutAPhantom(Form form)
    {
        Random random = RandomCase.Create();
        UdpSocket peer = BindLoopback();
        for (int round = 0; round < ClosingRounds; round++)
        {
            UdpSocket socket = Connect(peer.LocalEndPoint);
            Task waiting = Task.Run(() => AssertClosedAsync(form, socket), Stop);
            Thread.SpinWait(random.Next(200_000));

            await socket.DisposeAsync();

            await waiting.WaitAsync(Limit, Stop);
            Assert.Equal(0, socket.GetCounters().DatagramsReceived);
        }
    }

    [Fact]
    public async Task Dispose_ManyWaitInEveryWay_AllEnd()
    {
        for (int round = 0; round < ClosingRounds; round++)
        {
            UdpSocket socket = BindLoopback();
            Form[] forms = [Form.Batch, Form.BatchAsync, Form.One, Form.OneAsync, Form.BatchTimed, Form.OneTimed];
            Task[] waiting = [.. forms.Select(form => Task.Run(() => AssertClosedAsync(form, socket), Stop))];
            Thread.SpinWait(100_000);

            socket.Dispose();

            await Task.WhenAll(waiting).WaitAsync(Limit, Stop);
        }
    }

    [Fact]
    public async Task Dispose_WhileSending_EndsAsClosedAndKeepsTheRest()
    {
        UdpSocket receiver = BindLoopback();
        UdpSocket socket = BindLoopback();
        SendBatch batch = socket.CreateSendBatch();
        Task<SendResult> sending = Task.Run(
            () =>
            {
                while (true)
                {
                    for (int i = 0; i < 10; i++) Assert.True(batch.TryAdd([(byte)i], receiver.LocalEndPoint));
                    SendResult result = socket.Send(batch);
                    if (result.Status != SendStatus.Done) return result;
                    Assert.Equal(10, result.Sent);
                }
            },
            Stop);
        Thread.SpinWait(100_000);

        socket.Dispose();

        SendResult last = await sending.WaitAsync(Limit, Stop);
        Assert.Equal(SendStatus.Closed, last.Status);
        Assert.Equal((10, batch.Count), (last.Sent + last.Remaining, last.Remaining));
        Assert.Equal(last.Remaining, BindLoopback().Send(batch).Sent);
    }

    [Fact]
    public async Task Call_AfterDispose_TellsClosed()
    {
        UdpSocket socket = BindLoopback();
        using ReceiveBatch incoming = socket.CreateReceiveBatch();
        using SendBatch outgoing = socket.CreateSendBatch();
        UdpEndPoint self = socket.LocalEndPoint;
        byte[] buffer = new byte[10];
        SendNow(socket, self, [1]);
        await ReceiveAllAsync(Form.Batch, socket, 1);
        SendNow(socket, self, [2]);
        socket.Dispose();
        Assert.True(outgoing.TryAdd([3], self));
        SendResult closed = new(0, 0, 1, SocketError.Success, SendStatus.Closed);
        using ReceiveBatch lateIncoming = socket.CreateReceiveBatch();
        using SendBatch lateOutgoing = socket.CreateSendBatch();
        Assert.True(lateOutgoing.TryAdd([4], self));

        Assert.Equal(ReceiveStatus.Closed, socket.Receive(incoming));
        Assert.Equal(ReceiveStatus.Closed, socket.Receive(incoming, Limit));
        Assert.Equal(ReceiveStatus.Closed, socket.TryReceive(incoming));
        Assert.Equal(ReceiveStatus.Closed, await socket.ReceiveAsync(incoming, Stop));
        Assert.Equal(ReceiveStatus.Closed, socket.ReceiveFrom(buffer, out _));
        Assert.Equal(ReceiveStatus.Closed, socket.TryReceiveFrom(buffer, out _));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await socket.ReceiveFromAsync(buffer, Stop));
        Assert.Equal(ReceiveStatus.Closed, socket.Receive(lateIncoming));
        Assert.Equal(closed, socket.Send(lateOutgoing));
        Assert.Equal(closed, socket.Send(outgoing));
        Assert.Equal(closed, socket.TrySend(outgoing));
        Assert.Equal(closed, await socket.SendAsync(outgoing, Stop));
        Assert.Equal(closed, await socket.SendAsync(outgoing, Limit, Stop));
        Assert.Equal(closed, socket.SendTo([1], self));
        Assert.Equal(closed, socket.TrySendTo([1], self));
        Assert.Equal(closed, await socket.SendToAsync(buffer, self, Stop));
        Assert.Equal(closed, await socket.SendToAsync(buffer, self, Limit, Stop));
        Assert.False(socket.TryReceiveIcmpError(out _));
        Assert.Throws<ObjectDisposedException>(() => socket.MulticastLoopback);

        Assert.Equal(1, outgoing.Count);
        Assert.Equal(0, incoming.Count);
        Assert.Equal((2, 1), (socket.GetCounters().DatagramsSent, socket.GetCounters().DatagramsReceived));
        Assert.Equal(self, socket.LocalEndPoint);
    }

    [Fact]
    public async Task Dispose_Twice_DoesNothing()
    {
        UdpSocket socket = BindLoopback();

        socket.Dispose();
        socket.Dispose();
        await socket.DisposeAsync();

        Assert.True(socket.SafeHandle.IsClosed);
    }

    [Fact]
    public async Task Send_AfterItsSocketClosed_AnotherGoesOnInOrder()
    {
        UdpSocket receiver = BindLoopback();
        UdpSocket first = BindLoopback();
        UdpSocket second = BindLoopback();
        using SendBatch batch = first.CreateSendBatch();
        byte[][] payloads = Payloads.Of(100, 100, 5, 0, 100);
        foreach (byte[] payload in payloads) Assert.True(batch.TryAdd(payload, receiver.LocalEndPoint));
        first.Dispose();

        Assert.Equal(5, first.Send(batch).Remaining);
        Assert.Equal(5, second.Send(batch).Sent);

        Assert.Equal(payloads, await ReceivePayloadsAsync(Form.Batch, receiver, 5));
    }

    [Fact]
    public async Task Dispose_ByTwoAtOnce_BothReturnWhenThePortIsFree()
    {
        UdpEndPoint local = OwnAddress.New();
        for (int round = 0; round < ClosingRounds; round++)
        {
            UdpSocket socket = Bind(local);
            Task<ReceiveStatus> waiting = Task.Run(() => socket.ReceiveFrom(new byte[10], out _), Stop);
            using Barrier start = new(2);
            Task<bool>[] closing =
            [
                .. Enumerable.Range(0, 2).Select(_ => Task.Run(
                    () =>
                    {
                        start.SignalAndWait(Stop);
                        socket.Dispose();
                        return socket.SafeHandle.IsClosed;
                    },
                    Stop)),
            ];

            bool[] closed = await Task.WhenAll(closing).WaitAsync(Limit, Stop);
            Assert.Equal([true, true], closed);
            Assert.Equal(ReceiveStatus.Closed, await waiting.WaitAsync(Limit, Stop));
        }
    }

    [Fact]
    public async Task Dispose_InsideTheContinuationOfAnotherDispose_Returns()
    {
        UdpSocket socket = BindLoopback(Options(inline: true));
        Task closing = CloseWhenEndedAsync(socket);

        await Task.Run(socket.Dispose, Stop).WaitAsync(Limit, Stop);

        await closing.WaitAsync(Limit, Stop);
        Assert.True(socket.SafeHandle.IsClosed);
    }

    [Fact]
    public async Task Dispose_InsideAnInlineContinuation_Ends()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback(Options(inline: true));
        Task<int> receiving = ReceiveOneAndCloseAsync(receiver);
        SendNow(sender, receiver.LocalEndPoint, [1, 2]);

        Assert.Equal(2, await AwaitInlineAsync(receiving));

        Assert.True(receiver.SafeHandle.IsClosed);
    }

    [Fact]
    public async Task Dispose_BatchThatIsAwaited_FaultsThatCallOnly()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        ReceiveBatch batch = receiver.CreateReceiveBatch();
        Task<ReceiveStatus> waiting = receiver.ReceiveAsync(batch, Stop).AsTask();

        batch.Dispose();
        SendNow(sender, receiver.LocalEndPoint, [1]);

        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.WaitAsync(Limit, Stop));
        Assert.Equal([[1]], await ReceivePayloadsAsync(Form.BatchAsync, receiver, 1));
    }

    private async Task CloseWhenEndedAsync(UdpSocket socket)
    {
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        Assert.Equal(ReceiveStatus.Closed, await socket.ReceiveAsync(batch, Stop).ConfigureAwait(false));
        socket.Dispose();
    }

    private async Task<int> ReceiveOneAndCloseAsync(UdpSocket socket)
    {
        ReceivedDatagram datagram = await socket.ReceiveFromAsync(new byte[10], Stop).ConfigureAwait(false);
        socket.Dispose();
        return datagram.Length;
    }

    private async Task AssertClosedAsync(Form form, UdpSocket socket)
    {
        if (form == Form.OneAsync)
        {
            await Assert.ThrowsAsync<ObjectDisposedException>(
                async () => await socket.ReceiveFromAsync(new byte[10], CancellationToken.None));
        }
        else if (form.IsOne())
        {
            Assert.Equal(ReceiveStatus.Closed, (await TakeOneAsync(form, socket, new byte[10])).Status);
        }
        else
        {
            using ReceiveBatch batch = socket.CreateReceiveBatch();
            Assert.Equal(ReceiveStatus.Closed, await TakeBatchAsync(form, socket, batch));
            Assert.Equal(0, batch.Count);
        }
    }
}
