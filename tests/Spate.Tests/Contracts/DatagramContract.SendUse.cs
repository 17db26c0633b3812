using System.Net;
using System.Net.Sockets;
using Spate.Buffers;
using Spate.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>A send batch belongs to an awaited call until that call has ended.</summary>
public abstract partial class DatagramContract
{
    [Theory, InlineData(false), InlineData(true)]
    public async Task SendAsync_Waits_EveryOtherUseIsRefusedAndAllIsSent(bool behindAnother)
    {
        const int Count = 100;
        UdpSocket target = BindLoopback();
        UdpSocket socket = BindBlocked(out BlockedSender blocked);
        UdpSocket other = BindLoopback();
        using SendBatch batch = socket.CreateSendBatch();
        using ReceiveBatch requests = ReceiveOneFor(other);
        Task<SendResult>? first = null;
        if (behindAnother) first = socket.SendToAsync(Payloads.Make(8, 0), target.LocalEndPoint, Stop).AsTask();
        for (int i = 0; i < Count; i++) Assert.True(batch.TryAdd(Payloads.Make(8, i), target.LocalEndPoint));
        Task<SendResult> sending = socket.SendAsync(batch, Stop).AsTask();
        Action[] uses =
        [
            batch.Clear,
            () => batch.Trim(0),
            () => batch.TryAdd(new byte[8], target.LocalEndPoint),
            () => batch.TryReserve(target.LocalEndPoint, 8, out _),
            () => batch.TryReserve(8, out _),
            () => batch.TryReserve(target.LocalEndPoint, new SendControl { TrafficClass = 4 }, 8, out _),
            () => batch.TryReserveReply(requests[0], 8, out _),
            () => batch.TryForward(requests[0], target.LocalEndPoint),
            () => socket.Send(batch),
            () => socket.Send(batch, TimeSpan.Zero),
            () => socket.TrySend(batch),
            () => other.TrySend(batch),
            () => Expect(socket.SendAsync(batch, Stop)),
        ];

        // Before, between and after the tries of the readiness thread.
        for (int round = 0; round < 3; round++)
        {
            Assert.All(uses, use => Assert.StartsWith(InUse, Assert.Throws<InvalidOperationException>(use).Message));
            int tryCount = blocked.TryCount;
            Eventually(() => blocked.TryCount > tryCount, "the waiting call was tried again");
        }

        Assert.Equal((Count, false), (batch.Count, sending.IsCompleted));
        blocked.Open();

        SendResult complete = new(Count, 0, 0, SocketError.Success, SendStatus.Done);
        Assert.Equal(complete, await sending.WaitAsync(Limit, Stop));
        if (first is not null) Assert.Equal([Payloads.Make(8, 0)], await ReceivePayloadsAsync(Form.One, target, 1));
        Assert.Equal(Payloads.Same(Count, 8), await ReceivePayloadsAsync(Form.One, target, Count));
        Assert.True(batch.TryAdd([1], target.LocalEndPoint));
        Assert.Equal(1, socket.Send(batch).Sent);
    }

    [Fact]
    public async Task SendAsync_CancelledOrClosed_GivesTheBatchBackWithTheRest()
    {
        UdpSocket target = BindLoopback();
        UdpSocket socket = BindBlocked(out _);
        using SendBatch batch = socket.CreateSendBatch();
        foreach (byte[] payload in Payloads.Same(5, 8)) Assert.True(batch.TryAdd(payload, target.LocalEndPoint));
        using CancellationTokenSource source = new();
        Task<SendResult> cancelled = socket.SendAsync(batch, source.Token).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.WaitAsync(Limit, Stop));
        Assert.True(batch.TryAdd(Payloads.Make(8, 5), target.LocalEndPoint));

        Task<SendResult> closed = socket.SendAsync(batch, Stop).AsTask();
        await socket.DisposeAsync();
        Assert.Equal(
            new SendResult(0, 0, 6, SocketError.Success, SendStatus.Closed), await closed.WaitAsync(Limit, Stop));

        Assert.Equal(6, BindLoopback().Send(batch).Sent);
        Assert.Equal(Payloads.Same(6, 8), await ReceivePayloadsAsync(Form.Batch, target, 6));
    }

    [Fact]
    public async Task Dispose_SendAsyncWaits_AllIsSentAndThenTheMemoryIsReleased()
    {
        UdpSocket target = BindLoopback();
        UdpSocket socket = BindBlocked(out BlockedSender blocked);
        using ReceiveBatch requests = ReceiveOneFor(BindLoopback());
        SlotBuffer forwarded = requests[0].Buffer!;
        SendBatch batch = socket.CreateSendBatch();
        Assert.True(batch.TryForward(requests[0], target.LocalEndPoint));
        Assert.True(batch.TryAdd([1], target.LocalEndPoint));
        Task<SendResult> sending = socket.SendAsync(batch, Stop).AsTask();

        batch.Dispose();
        batch.Dispose();

        Assert.True(forwarded.IsShared);
        Assert.Throws<ObjectDisposedException>(batch.Clear);
        blocked.Open();
        Assert.Equal(
            new SendResult(2, 0, 0, SocketError.Success, SendStatus.Done), await sending.WaitAsync(Limit, Stop));
        Assert.False(forwarded.IsShared);
        Assert.Throws<ObjectDisposedException>(batch.Clear);
        Assert.Throws<ObjectDisposedException>(() => batch.TryAdd([1], target.LocalEndPoint));
        Assert.Throws<ObjectDisposedException>(() => socket.Send(batch));
        Assert.Equal([[7], [1]], await ReceivePayloadsAsync(Form.One, target, 2));
    }

    [Fact]
    public async Task Dispose_SendAsyncWaitsAndIsCancelled_TheMemoryIsReleased()
    {
        UdpSocket target = BindLoopback();
        UdpSocket socket = BindBlocked(out _);
        using ReceiveBatch requests = ReceiveOneFor(BindLoopback());
        SlotBuffer forwarded = requests[0].Buffer!;
        SendBatch batch = socket.CreateSendBatch();
        Assert.True(batch.TryForward(requests[0], target.LocalEndPoint));
        using CancellationTokenSource source = new();
        Task<SendResult> sending = socket.SendAsync(batch, source.Token).AsTask();

        batch.Dispose();
        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.WaitAsync(Limit, Stop));
        Assert.Equal((false, 0), (forwarded.IsShared, batch.Count));
        Assert.Throws<ObjectDisposedException>(() => socket.Send(batch));
    }

    /// <summary>A batch with one datagram, whose payload is 7.</summary>
    private static ReceiveBatch ReceiveOneFor(UdpSocket socket)
    {
        SendNow(socket, socket.LocalEndPoint, [7]);
        ReceiveBatch batch = socket.CreateReceiveBatch();
        Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));
        return batch;
    }

    private UdpSocket BindBlocked(out BlockedSender blocked)
    {
        UdpSocketOptions options = Options();
        Socket socket = SocketSetup.Open(
            AddressFamily.InterNetwork, options, isRegistered: _backend == UdpBackend.Rio);
        SocketSetup.Apply(socket, options);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, options, default);
        BackendPair pair = BackendSelector.Open(_backend, context);
        blocked = new BlockedSender(context, pair.Sender);
        return Own(new UdpSocket(context, pair with { Sender = blocked }));
    }
}
