using System.Net.Sockets;
using Spate.Interop.Linux;

namespace Spate.Tests.Sockets;

/// <summary>Awaited sends that end before they could send everything: by a time limit or a token.</summary>
public sealed class SendLimitTests : IDisposable
{
    private const int DatagramCount = 40;
    private const int AcceptedCount = 12;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(1);

    private readonly NumberedPeer[] _peers = [new(), new()];
    private readonly FaultSchedule _faults = new();
    private readonly FakeTime _time = new();

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(Errno.EAGAIN, SendStatus.TimedOut)]
    [InlineData(Errno.ENOBUFS, SendStatus.NoBuffers)]
    public async Task SendAsync_NoRoomUntilTheLimit_EndsAndTheRestStaysInOrder(int errno, SendStatus status)
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        BlockAfterSome(errno);
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);
        Task<SendResult> sending = socket.SendAsync(batch, Limit, Stop).AsTask();

        _time.Advance(Limit - TimeSpan.FromMilliseconds(1));
        Assert.False(sending.IsCompleted);
        _time.Advance(TimeSpan.FromMilliseconds(2));

        Assert.Equal(Rest(status), await sending.WaitAsync(FaultySocket.Patience, Stop));
        await SendTheRestAsync(socket, batch);
    }

    [Theory]
    [InlineData(Errno.EAGAIN, SendStatus.TimedOut)]
    [InlineData(Errno.ENOBUFS, SendStatus.NoBuffers)]
    public async Task SendToAsync_NoRoomUntilTheLimit_IsNotSent(int errno, SendStatus status)
    {
        using UdpSocket socket = Bind();
        _faults.ErrnoOf = _ => errno;
        Task<SendResult> sending = socket.SendToAsync(new byte[4], _peers[0].EndPoint, Limit, Stop).AsTask();

        _time.Advance(2 * Limit);

        Assert.Equal(
            new(0, 0, 1, SocketError.Success, status), await sending.WaitAsync(FaultySocket.Patience, Stop));
        Assert.Equal(0, socket.GetCounters().DatagramsSent);
    }

    [Fact]
    public async Task SendAsync_LimitIsZero_EndsAtOnce()
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        BlockAfterSome(Errno.EAGAIN);
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);

        ValueTask<SendResult> many = socket.SendAsync(batch, TimeSpan.Zero, Stop);
        ValueTask<SendResult> one = socket.SendToAsync(new byte[4], _peers[0].EndPoint, TimeSpan.Zero, Stop);

        Assert.True(many.IsCompleted && one.IsCompleted);
        Assert.Equal(Rest(SendStatus.TimedOut), await many);
        Assert.Equal(SendStatus.TimedOut, (await one).Status);
        await SendTheRestAsync(socket, batch);
    }

    [Fact]
    public async Task SendAsync_BehindOneWithoutALimit_EndsUntriedAndTheOtherGoesOn()
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        NumberedBatch.Add(batch, _peers[1].EndPoint, 0);
        _faults.ErrnoOf = static _ => Errno.EAGAIN;
        Task<SendResult> first = socket.SendToAsync(BitConverter.GetBytes(7), _peers[0].EndPoint, Stop).AsTask();
        Task<SendResult> second = socket.SendAsync(batch, Limit, Stop).AsTask();

        _time.Advance(2 * Limit);

        Assert.Equal(
            new(0, 0, 1, SocketError.Success, SendStatus.TimedOut),
            await second.WaitAsync(FaultySocket.Patience, Stop));
        Assert.False(first.IsCompleted);
        _faults.ErrnoOf = static _ => 0;
        Assert.True((await first.WaitAsync(FaultySocket.Patience, Stop)).AllSent);
        Assert.Equal([7], _peers[0].Take(1));
        Assert.Equal(1, batch.Count);
    }

    [Theory]
    [InlineData(Errno.EAGAIN, SendStatus.Full)]
    [InlineData(Errno.ENOBUFS, SendStatus.NoBuffers)]
    public async Task SendAsync_CancelledWhileWaiting_ReportsWhatWasSent(int errno, SendStatus status)
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        using var cancellation = new CancellationTokenSource();
        BlockAfterSome(errno);
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);
        Task<SendResult> sending = socket.SendAsync(batch, cancellation.Token).AsTask();

        await cancellation.CancelAsync();

        var cancelled = await Assert.ThrowsAsync<SendCanceledException>(
            () => sending.WaitAsync(FaultySocket.Patience, Stop));
        Assert.Equal(Rest(status), cancelled.Result);
        Assert.Equal(cancellation.Token, cancelled.CancellationToken);
        Assert.True(sending.IsCanceled);
        await SendTheRestAsync(socket, batch);
    }

    [Fact]
    public async Task SendAsync_CancelledBehindAnother_ReportsThatNothingWasSent()
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        using var cancellation = new CancellationTokenSource();
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);
        _faults.ErrnoOf = static _ => Errno.EAGAIN;
        Task<SendResult> first = socket.SendToAsync(new byte[4], _peers[0].EndPoint, Stop).AsTask();
        Task<SendResult> second = socket.SendAsync(batch, Limit, cancellation.Token).AsTask();

        await cancellation.CancelAsync();

        var cancelled = await Assert.ThrowsAsync<SendCanceledException>(() => second);
        Assert.Equal(new(0, 0, DatagramCount, SocketError.Success, SendStatus.Full), cancelled.Result);
        _faults.ErrnoOf = static _ => 0;
        Assert.True((await first.WaitAsync(FaultySocket.Patience, Stop)).AllSent);
    }

    public void Dispose() => Array.ForEach(_peers, peer => peer.Dispose());

    private static SendResult Rest(SendStatus status) =>
        new(AcceptedCount, 0, DatagramCount - AcceptedCount, SocketError.Success, status);

    private UdpSocket Bind() =>
        FaultySocket.Bind(_faults, options: new UdpSocketOptions { TimeProvider = _time });

    // Lets some messages through, then none.
    private void BlockAfterSome(int errno)
    {
        _faults.MaxSendCount = 1;
        _faults.ErrnoOf = _ => _faults.CountOf(CallKind.PlainSend) >= AcceptedCount ? errno : 0;
    }

    private async Task SendTheRestAsync(UdpSocket socket, SendBatch batch)
    {
        Assert.Equal(DatagramCount - AcceptedCount, batch.Count);
        _faults.ErrnoOf = static _ => 0;
        Assert.True((await socket.SendAsync(batch, Stop)).AllSent);
        for (int i = 0; i < _peers.Length; i++)
        {
            Assert.Equal(
                NumberedBatch.TurnOf(i, _peers.Length, 0, DatagramCount),
                _peers[i].Take(DatagramCount / _peers.Length));
        }
    }
}
