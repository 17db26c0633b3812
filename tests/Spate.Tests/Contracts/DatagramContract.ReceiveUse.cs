using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>A receive batch belongs to an awaited call until that call has ended.</summary>
public abstract partial class DatagramContract
{
    private const string InUse = "The batch is in use by another call";

    private delegate void DatagramUse(in Datagram datagram);

    [Fact]
    public async Task ReceiveAsync_Waits_EveryOtherUseIsRefusedAndNothingIsLost()
    {
        const int Rounds = 30, PerRound = 100;
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        UdpSocket other = BindLoopback();
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        using SendBatch outgoing = sender.CreateSendBatch();
        using UdpPoller<int> poller = new();
        List<byte[]> received = [];
        for (int round = 0; round < Rounds; round++)
        {
            SendNow(other, receiver.LocalEndPoint, [1, 2, 3]);
            Assert.Equal(ReceiveStatus.Received, receiver.Receive(batch));
            Task<ReceiveStatus> waiting = ReceiveWithEarlier(receiver, other, batch, outgoing, poller);
            Assert.Equal((0, 0), (batch.Count, batch.ByteCount));
            Assert.False(waiting.IsCompleted);

            await SendPayloadsAsync(
                Form.Batch, sender, receiver.LocalEndPoint,
                [.. Enumerable.Range(0, PerRound).Select(i => Payloads.Make(64, (round * PerRound) + i))]);
            Assert.Equal(ReceiveStatus.Received, await waiting.WaitAsync(Limit, Stop));
            received.AddRange(Copy(batch).Select(datagram => datagram.Payload));
            while (received.Count < (round + 1) * PerRound)
            {
                Assert.Equal(ReceiveStatus.Received, await receiver.ReceiveAsync(batch, Stop));
                received.AddRange(Copy(batch).Select(datagram => datagram.Payload));
            }
        }

        Assert.Equal(Payloads.Same(Rounds * PerRound, 64), received);
        Assert.Equal(ReceiveStatus.Empty, receiver.TryReceive(batch));
    }

    [Fact]
    public async Task ReceiveAsync_WaitsWhileOthersTryToReceive_EachIsRefusedAndNothingIsDoubled()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        for (int round = 0; round < 20; round++)
        {
            Task<ReceiveStatus> waiting = receiver.ReceiveAsync(batch, Stop).AsTask();
            await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => Task.Run(
                () =>
                {
                    for (int i = 0; i < 100; i++)
                    {
                        Assert.Throws<InvalidOperationException>(() => receiver.TryReceive(batch));
                        Assert.Throws<InvalidOperationException>(() => Expect(receiver.ReceiveAsync(batch, Stop)));
                    }
                },
                Stop)));

            SendNow(sender, receiver.LocalEndPoint, Payloads.Make(8, round));

            Assert.Equal(ReceiveStatus.Received, await waiting.WaitAsync(Limit, Stop));
            Assert.Equal([Payloads.Make(8, round)], Copy(batch).Select(datagram => datagram.Payload));
        }

        Assert.Equal(20, receiver.GetCounters().DatagramsReceived);
    }

    [Fact]
    public async Task ReceiveAsync_CancelledTimedOutOrClosed_GivesTheBatchBack()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        UdpSocket closing = BindLoopback();
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        using CancellationTokenSource source = new();
        Task<ReceiveStatus> cancelled = receiver.ReceiveAsync(batch, source.Token).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.WaitAsync(Limit, Stop));
        Assert.Equal(ReceiveStatus.Empty, receiver.TryReceive(batch));

        Assert.Equal(
            ReceiveStatus.TimedOut, await receiver.ReceiveAsync(batch, TimeSpan.FromMilliseconds(5), Stop));
        Assert.Empty(Copy(batch));

        Task<ReceiveStatus> closed = closing.ReceiveAsync(batch, Stop).AsTask();
        await closing.DisposeAsync();
        Assert.Equal(ReceiveStatus.Closed, await closed.WaitAsync(Limit, Stop));

        Task<ReceiveStatus> last = receiver.ReceiveAsync(batch, Stop).AsTask();
        SendNow(sender, receiver.LocalEndPoint, [1]);
        Assert.Equal(ReceiveStatus.Received, await last.WaitAsync(Limit, Stop));
        Assert.Equal([1], batch[0].Payload.ToArray());
    }

    [Fact]
    public async Task ReceiveAsync_CallFaults_GivesTheBatchBack()
    {
        SkipWhereClosedPortsAreNotReported();
        UdpSocket peer = BindLoopback();
        UdpSocket socket = Connect(peer.LocalEndPoint, Options() with { ReportPortUnreachable = true });
        UdpSocket other = BindLoopback();
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        peer.Dispose();
        Task<ReceiveStatus> waiting = socket.ReceiveAsync(batch, Stop).AsTask();
        Assert.Throws<InvalidOperationException>(() => other.TryReceive(batch));

        Assert.Equal(1, socket.Send([1]).Sent);

        await Assert.ThrowsAsync<SocketException>(() => waiting.WaitAsync(Limit, Stop));
        Assert.Equal(ReceiveStatus.Empty, other.TryReceive(batch));
    }

    [Fact]
    public async Task ReceiveAsync_InlineContinuation_HasTheBatch()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback(Options(inline: true));
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        TaskCompletionSource<ReceiveStatus> seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Register(receiver.ReceiveAsync(batch, Stop), () => seen.SetResult(receiver.TryReceive(batch)));

        SendNow(sender, receiver.LocalEndPoint, [1]);

        Assert.Equal(ReceiveStatus.Empty, await seen.Task.WaitAsync(Limit, Stop));
    }

    [Fact]
    public async Task Dispose_ReceiveAsyncWaits_CallEndsWithoutADatagramAndNothingElseIsPossible()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        SendNow(sender, receiver.LocalEndPoint, [1]);
        ReceiveBatch batch = receiver.CreateReceiveBatch();
        Assert.Equal(ReceiveStatus.Received, receiver.Receive(batch));
        using DatagramLease lease = batch.Lease(0);
        Task<ReceiveStatus> waiting = receiver.ReceiveAsync(batch, Stop).AsTask();

        batch.Dispose();
        batch.Dispose();

        Assert.Throws<ObjectDisposedException>(() => receiver.TryReceive(batch));
        SendNow(sender, receiver.LocalEndPoint, [2]);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.WaitAsync(Limit, Stop));
        Assert.Throws<ObjectDisposedException>(() => receiver.TryReceive(batch));
        Assert.Throws<ObjectDisposedException>(() => Copy(batch));
        Assert.Throws<ObjectDisposedException>(() => batch.GetPayload(0));
        Assert.Equal(0, batch.Count);
        Assert.Equal([1], lease.Payload.ToArray());
        Assert.Equal([[2]], await ReceivePayloadsAsync(Form.BatchAsync, receiver, 1));
    }

    [Fact]
    public async Task Dispose_LentByAPoller_HasNoEffect()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        using SendBatch outgoing = sender.CreateSendBatch();
        using UdpPoller<int> poller = new();
        poller.Add(receiver, 0);
        List<byte[]> received = [];
        List<DatagramLease> leases = [];
        for (byte round = 0; round < 3; round++)
        {
            SendNow(sender, receiver.LocalEndPoint, [round]);
            PollStatus status = poller.Poll(
                batch,
                (socket, lent, _) =>
                {
                    lent.Dispose();
                    Assert.Throws<InvalidOperationException>(() => sender.TryReceive(lent));
                    Assert.True(outgoing.TryForward(lent[0], receiver.LocalEndPoint));
                    outgoing.Clear();
                    leases.Add(lent.Lease(0));
                    received.AddRange(Copy(lent).Select(datagram => datagram.Payload));
                },
                Limit);
            Assert.Equal(PollStatus.Received, status);
        }

        Assert.Equal([[0], [1], [2]], received);
        Assert.Equal(received, leases.Select(lease => lease.Payload.ToArray()));
        await Task.Run(batch.Dispose, Stop);
        Assert.Throws<ObjectDisposedException>(() => receiver.TryReceive(batch));
    }

    // Not asynchronous, since a datagram of the receive before cannot be kept across an await.
    private Task<ReceiveStatus> ReceiveWithEarlier(
        UdpSocket receiver, UdpSocket other, ReceiveBatch batch, SendBatch outgoing, UdpPoller<int> poller)
    {
        Datagram earlier = batch[0];
        Task<ReceiveStatus> waiting = receiver.ReceiveAsync(batch, Stop).AsTask();
        Action[] uses =
        [
            () => receiver.TryReceive(batch),
            () => receiver.Receive(batch),
            () => receiver.Receive(batch, TimeSpan.Zero),
            () => other.TryReceive(batch),
            () => Expect(receiver.ReceiveAsync(batch, Stop)),
            () => Expect(receiver.ReceiveAsync(batch, TimeSpan.Zero, Stop)),
            () => poller.Poll(batch, static (_, _, _) => { }, TimeSpan.Zero),
            () => Copy(batch),
            () => _ = batch[0].Peer,
            () => batch.GetPeer(0),
            () => batch.GetPayload(0),
            () => batch.Lease(0),
        ];
        Assert.All(uses, use => Assert.StartsWith(InUse, Assert.Throws<InvalidOperationException>(use).Message));
        AssertRefused(earlier, static (in Datagram datagram) => datagram.Lease());
        AssertRefused(earlier, (in Datagram datagram) => outgoing.TryForward(datagram, receiver.LocalEndPoint));
        Assert.Equal(0, outgoing.Count);
        return waiting;
    }

    /// <summary>A call that must throw before it returns a task.</summary>
    private static void Expect<T>(ValueTask<T> call) => Assert.Fail($"The call was accepted: {call.IsCompleted}.");

    private static void AssertRefused(in Datagram datagram, DatagramUse use)
    {
        string? message = null;
        try
        {
            use(datagram);
        }
        catch (InvalidOperationException refused)
        {
            message = refused.Message;
        }

        Assert.StartsWith(InUse, message);
    }
}
