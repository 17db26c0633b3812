using System.Diagnostics;
using System.Net.Sockets;
using Spate.Interop.Linux;
using Spate.Sockets.Mmsg;

namespace Spate.Tests.Sockets;

/// <summary>Sends that would block: they wait, time out or return, and the rest stays in order.</summary>
public sealed class FaultInjectionWaitTests : IDisposable
{
    private const int DatagramCount = 40;
    private const int AcceptedCount = 12;

    private readonly NumberedPeer[] _peers = [new(), new()];
    private readonly FaultSchedule _faults = new();

    [Theory]
    [InlineData(Errno.EPERM, false, false)]
    [InlineData(Errno.ENOMEM, false, false)]
    [InlineData(Errno.EPERM, true, false)]
    [InlineData(Errno.EPERM, true, true)]
    public async Task ReceiveAsync_ErrorThatLasts_AsksAgainOnceAMillisecond(int errno, bool waitsFirst, bool single)
    {
        CallKind kind = single ? CallKind.ReceiveOne : CallKind.ReceiveMany;
        const int callCount = 50;
        CancellationToken stop = TestContext.Current.CancellationToken;
        using UdpSocket socket = FaultySocket.Bind(_faults);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        FaultySocket.SendNumbered(socket.LocalEndPoint, 1);
        _faults.FailEvery(kind, 1, errno);
        long start = Stopwatch.GetTimestamp();
        Task<ReceiveStatus> receiving = waitsFirst ? WaitThenReceiveAsync() : socket.ReceiveAsync(batch, stop).AsTask();

        Assert.True(SpinWait.SpinUntil(
            () => _faults.CountOf(kind) >= callCount, FaultySocket.Patience));

        // Some ask twice before they wait, and the first is asked at once. It is no limit that a slow machine can miss.
        Assert.InRange(Stopwatch.GetElapsedTime(start).TotalMilliseconds, (callCount / 2) - 5, double.MaxValue);
        _faults.FailEvery(kind, 1, 0);
        Assert.Equal(ReceiveStatus.Received, await receiving.WaitAsync(FaultySocket.Patience, stop));

        async Task<ReceiveStatus> WaitThenReceiveAsync()
        {
            ReceiveStatus status;
            do await socket.WaitReadableAsync(stop);
            while ((status = TryReceive()) == ReceiveStatus.Empty);
            return status;
        }

        ReceiveStatus TryReceive() =>
            single ? socket.TryReceiveFrom(new byte[100], out _) : socket.TryReceive(batch);
    }

    [Fact]
    public void TrySend_BufferFull_RestStaysInOrder()
    {
        using UdpSocket socket = FaultySocket.Bind(_faults);
        using SendBatch batch = socket.CreateSendBatch();
        BlockAfter(AcceptedCount, Errno.EAGAIN);
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);

        SendResult result = socket.TrySend(batch);

        Assert.Equal(Rest(AcceptedCount, SendStatus.Full), result);
        Assert.Equal(DatagramCount - AcceptedCount, batch.Count);
        Assert.Equal(0, _faults.CountOf(CallKind.Poll));
        Unblock();
        Assert.Equal(DatagramCount - AcceptedCount, socket.Send(batch).Sent);
        AssertArrived(DatagramCount);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TrySend_NewOnesBehindTheRest_OrderPerPeerKept(bool segmented)
    {
        using UdpSocket socket = FaultySocket.Bind(_faults, segmented: segmented);
        using SendBatch batch = socket.CreateSendBatch();
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);

        // Every datagram or GSO message is let through one by one, and more come in between.
        int added = DatagramCount;
        while (batch.Count > 0)
        {
            BlockAfter(1, Errno.EAGAIN);
            SendResult result = socket.TrySend(batch);
            Assert.True(result.Sent > 0, "No progress.");
            if (added == 3 * DatagramCount) continue;
            NumberedBatch.AddInTurn(batch, _peers, added, 4);
            added += 4;
        }

        AssertArrived(3 * DatagramCount);
        Assert.Equal(3 * DatagramCount, socket.GetCounters().DatagramsSent);
    }

    [Fact]
    public void Send_BufferFull_WaitsForRoom()
    {
        using UdpSocket socket = FaultySocket.Bind(_faults);
        using SendBatch batch = socket.CreateSendBatch();
        BlockAfter(AcceptedCount, Errno.EAGAIN);
        List<int> timeouts = [];
        _faults.PollAnswer = timeoutMilliseconds =>
        {
            timeouts.Add(timeoutMilliseconds);
            if (timeouts.Count == 3) Unblock();
            return Poll.POLLOUT;
        };
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);

        Assert.True(socket.Send(batch).AllSent);

        Assert.Equal([-1, -1, -1], timeouts);
        AssertArrived(DatagramCount);
    }

    [Theory]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    public void Send_BufferFullAndErrorsQueued_QueueIsEmptied(bool byOption, bool waits)
    {
        using UdpSocket socket = FaultySocket.Bind(
            _faults, options: new UdpSocketOptions { ReportIcmpErrors = byOption });
        if (!byOption) socket.SetRawSocketOption(In.SOL_IP, In.IP_RECVERR, BitConverter.GetBytes(1));
        using SendBatch batch = socket.CreateSendBatch();
        UdpEndPoint dead = OwnAddress.New();
        Assert.Equal(1, socket.SendTo([1], dead).Sent);
        int descriptor = (int)socket.SafeHandle.DangerousGetHandle();
        Assert.NotEqual(0, ErrorOf(descriptor));
        BlockAfter(0, Errno.EAGAIN);
        int pollCount = 0;
        _faults.PollAnswer = _ =>
        {
            // The first wait is the kernel's own and ends at once, because of the errors.
            if (++pollCount == 1) return null;
            Unblock();
            return Poll.POLLOUT;
        };
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);

        if (waits) Assert.True(socket.Send(batch).AllSent);
        else Assert.Equal(DatagramCount, socket.TrySend(batch).Remaining);

        Assert.Equal(0, ErrorOf(descriptor));
        Assert.True(socket.TryReceiveIcmpError(out UdpIcmpError error));
        Assert.Equal(dead, error.Peer);
    }

    [Fact]
    public void SendTo_ErrorsOfOtherDatagramsInARow_IsNotBlamed()
    {
        using UdpSocket socket = FaultySocket.Bind(_faults, options: new UdpSocketOptions { ReportIcmpErrors = true });
        Queue<int> errors = new(
            [Errno.EPROTO, Errno.EPROTO, Errno.ENOPROTOOPT, Errno.EHOSTDOWN, Errno.ECONNREFUSED, Errno.EMSGSIZE]);
        _faults.ErrnoOf = _ => errors.TryDequeue(out int errno) ? errno : 0;

        Assert.True(socket.SendTo(new byte[4], _peers[0].EndPoint).AllSent);

        Assert.Empty(errors);
        Assert.Equal(5, socket.GetCounters().IcmpErrors);
    }

    [Fact]
    public void Send_NoRoomInTime_TimesOutWithTheRest()
    {
        var time = new FakeTime();
        using UdpSocket socket = FaultySocket.Bind(_faults, options: new UdpSocketOptions { TimeProvider = time });
        using SendBatch batch = socket.CreateSendBatch();
        BlockAfter(AcceptedCount, Errno.EAGAIN);
        List<int> timeouts = [];
        _faults.PollAnswer = timeoutMilliseconds =>
        {
            // The first wait is ended early by a signal, the second one is not.
            timeouts.Add(timeoutMilliseconds);
            time.Advance(TimeSpan.FromMilliseconds(timeouts.Count == 1 ? 400 : timeoutMilliseconds));
            return timeouts.Count == 1 ? -Errno.EINTR : 0;
        };
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);

        SendResult result = socket.Send(batch, TimeSpan.FromSeconds(1));

        Assert.Equal(Rest(AcceptedCount, SendStatus.TimedOut), result);
        Assert.Equal([1000, 600], timeouts);
        Unblock();
        Assert.True(socket.Send(batch).AllSent);
        AssertArrived(DatagramCount);
    }

    [Fact]
    public void TrySend_NoBuffers_SaysSoAndKeepsTheRest()
    {
        using UdpSocket socket = FaultySocket.Bind(_faults);
        using SendBatch batch = socket.CreateSendBatch();
        BlockAfter(AcceptedCount, Errno.ENOBUFS);
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);

        Assert.Equal(Rest(AcceptedCount, SendStatus.NoBuffers), socket.TrySend(batch));

        Assert.Equal(1, socket.GetCounters().NoBufferEvents);
        Unblock();
        Assert.True(socket.Send(batch).AllSent);
        AssertArrived(DatagramCount);
    }

    [Theory]
    [InlineData(Errno.EAGAIN)]
    [InlineData(Errno.ENOBUFS)]
    public async Task SendAsync_NoRoomAtFirst_CompletesWithEverything(int errno)
    {
        using UdpSocket socket = FaultySocket.Bind(_faults);
        using SendBatch batch = socket.CreateSendBatch();
        _faults.FailEvery(CallKind.PlainSend, 2, errno, maxTimes: 8);
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);

        SendResult result = await socket.SendAsync(batch, TestContext.Current.CancellationToken)
            .AsTask().WaitAsync(FaultySocket.Patience, TestContext.Current.CancellationToken);

        Assert.Equal(new SendResult(DatagramCount, 0, 0, SocketError.Success, SendStatus.Done), result);
        AssertArrived(DatagramCount);
    }

    [Theory]
    [InlineData(Errno.EAGAIN)]
    [InlineData(Errno.ENOBUFS)]
    public async Task SendToAsync_NoRoomAtFirst_Completes(int errno)
    {
        using UdpSocket socket = FaultySocket.Bind(_faults);
        _faults.FailEvery(CallKind.PlainSend, 1, errno, maxTimes: 5);

        SendResult result = await socket
            .SendToAsync(new byte[8], _peers[0].EndPoint, TestContext.Current.CancellationToken)
            .AsTask().WaitAsync(FaultySocket.Patience, TestContext.Current.CancellationToken);

        Assert.True(result.AllSent);
        Assert.Equal([0], _peers[0].Take(1));
        Assert.Equal(6, _faults.CountOf(CallKind.PlainSend));
    }

    [Theory]
    [InlineData(Errno.EAGAIN)]
    [InlineData(Errno.ENOBUFS)]
    public async Task SendAsync_AnotherWaits_QueuesBehindIt(int errno)
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        using UdpSocket socket = FaultySocket.Bind(_faults);
        using SendBatch batch = socket.CreateSendBatch();
        UdpEndPoint blocked = _peers[0].EndPoint;
        UdpEndPoint free = _peers[1].EndPoint;
        _faults.ErrnoOf = message => message.Peer == blocked ? errno : 0;
        NumberedBatch.Add(batch, free, 1);

        Task<SendResult> first = socket.SendToAsync(new byte[4], blocked, stop).AsTask();
        Task<SendResult> second = socket.SendAsync(batch, stop).AsTask();
        Task<SendResult> third = socket.SendToAsync(BitConverter.GetBytes(2), free, stop).AsTask();

        Assert.False(first.IsCompleted || second.IsCompleted || third.IsCompleted);
        Assert.Equal(0, socket.GetCounters().DatagramsSent);
        Unblock();
        SendResult[] results = await Task.WhenAll(first, second, third).WaitAsync(FaultySocket.Patience, stop);
        Assert.All(results, result => Assert.Equal(new(1, 0, 0, SocketError.Success, SendStatus.Done), result));
        Assert.Equal([0], _peers[0].Take(1));
        Assert.Equal([1, 2], _peers[1].Take(2));
    }

    public void Dispose() => Array.ForEach(_peers, peer => peer.Dispose());

    private static SendResult Rest(int sent, SendStatus status) =>
        new(sent, 0, DatagramCount - sent, SocketError.Success, status);

    private static int ErrorOf(int descriptor) => default(LinuxSocketCalls).Poll(descriptor, 0, 0) & Poll.POLLERR;

    // So many messages are let through, then none until it is unblocked.
    private void BlockAfter(int count, int errno)
    {
        _faults.MaxSendCount = 1;
        long last = _faults.CountOf(CallKind.PlainSend) + _faults.CountOf(CallKind.GsoMessageSend) + count;
        _faults.ErrnoOf = _ =>
            _faults.CountOf(CallKind.PlainSend) + _faults.CountOf(CallKind.GsoMessageSend) >= last ? errno : 0;
    }

    private void Unblock()
    {
        _faults.MaxSendCount = int.MaxValue;
        _faults.ErrnoOf = static _ => 0;
    }

    private void AssertArrived(int count)
    {
        for (int i = 0; i < _peers.Length; i++)
            Assert.Equal(NumberedBatch.TurnOf(i, _peers.Length, 0, count), _peers[i].Take(count / _peers.Length));
    }
}
