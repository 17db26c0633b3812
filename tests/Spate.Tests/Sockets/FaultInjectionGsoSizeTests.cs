using System.Net.Sockets;
using Spate.Interop.Linux;

namespace Spate.Tests.Sockets;

/// <summary>
/// GSO messages that are refused for their size: only that size and larger ones are given up, and only with reason.
/// </summary>
public sealed class FaultInjectionGsoSizeTests : IDisposable
{
    private const int Count = 30;
    private const int Large = 1000;
    private const int Small = 999;

    private readonly NumberedPeer _peer = new("127.0.0.21");
    private readonly FaultSchedule _faults = new();

    public static TheoryData<int> OfSize => [Errno.EMSGSIZE, Errno.EINVAL];

    [Theory]
    [MemberData(nameof(OfSize))]
    public void Send_LargeGsoMessagesRefused_SmallerOnesStayGsoMessages(int errno)
    {
        using UdpSocket socket = Bind();
        _faults.ErrnoOf = message => message.SegmentBytes >= Large ? errno : 0;

        AssertLeaves(socket, Large, messages: Count, fallbacks: 1);
        AssertLeaves(socket, Small, messages: 1, fallbacks: 0);
        AssertLeaves(socket, Large, messages: Count, fallbacks: 0);
        AssertLeaves(socket, Large + 1, messages: Count, fallbacks: 0);
        AssertLeaves(socket, Small, messages: 1, fallbacks: 0);

        // Offered were the first large one and the two small ones.
        Assert.Equal(3, _faults.CountOf(CallKind.GsoMessageSend));
    }

    [Theory]
    [MemberData(nameof(OfSize))]
    public void Send_DatagramsRefusedTheSameWay_NoFallback(int errno)
    {
        using UdpSocket socket = Bind();
        _faults.ErrnoOf = message => errno;
        using SendBatch batch = socket.CreateSendBatch();
        Add(batch, Large);

        SendResult result = socket.Send(batch);

        Assert.Equal((0, Count, SendStatus.Done), (result.Sent, result.Refused, result.Status));
        Assert.Equal(0, socket.GetCounters().GsoFallbacks);
        _faults.ErrnoOf = static _ => 0;
        AssertLeaves(socket, Large, messages: 1, fallbacks: 0);
        AssertLeaves(socket, Small, messages: 1, fallbacks: 0);
    }

    [Fact]
    public void Send_OneDatagramOfTheGsoMessageRefusedToo_NoFallback()
    {
        using UdpSocket socket = Bind();
        _faults.ErrnoOf = message => message.IsGso ? Errno.EMSGSIZE : 0;
        _faults.FailEvery(CallKind.PlainSend, Count / 2, Errno.EMSGSIZE, maxTimes: 1);
        using SendBatch batch = socket.CreateSendBatch();
        Add(batch, Large);

        SendResult result = socket.Send(batch);

        Assert.Equal(new SendResult(Count - 1, 1, 0, SocketError.MessageSize, SendStatus.Done), result);
        Assert.Equal(0, socket.GetCounters().GsoFallbacks);
        _faults.ErrnoOf = static _ => 0;
        Assert.Equal(Count - 1, _peer.Take(Count - 1).Count);
        AssertLeaves(socket, Large, messages: 1, fallbacks: 0);
    }

    [Fact]
    public void Send_EverySizeRefused_BoundSinksSizeBySize()
    {
        using UdpSocket socket = Bind();
        _faults.ErrnoOf = message => message.IsGso ? Errno.EINVAL : 0;

        AssertLeaves(socket, Large, messages: Count, fallbacks: 1);
        AssertLeaves(socket, 500, messages: Count, fallbacks: 1);
        AssertLeaves(socket, 700, messages: Count, fallbacks: 0);
        AssertLeaves(socket, Large, messages: Count, fallbacks: 0);

        Assert.Equal(2, _faults.CountOf(CallKind.GsoMessageSend));
    }

    [Fact]
    public void Send_RouteRefusesAllGsoMessages_AllSizesPlain()
    {
        using UdpSocket socket = Bind();
        _faults.ErrnoOf = message => message.IsGso ? Errno.EIO : 0;

        AssertLeaves(socket, Large, messages: Count, fallbacks: 1);
        AssertLeaves(socket, 8, messages: Count, fallbacks: 0);

        Assert.Equal(1, _faults.CountOf(CallKind.GsoMessageSend));
    }

    [Fact]
    public void Send_PlainOnesOfRefusedGsoMessageWait_FallsBackOnceByThoseThatLeft()
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        long leftCount = 0;
        _faults.ErrnoOf = message => message.IsGso ? Errno.EMSGSIZE : leftCount == 0 ? Errno.EAGAIN : 0;
        Add(batch, Large);

        // Nothing has left: nothing is known. The GSO message is offered again.
        Assert.Equal(Count, socket.TrySend(batch).Remaining);
        Assert.Equal(0, socket.GetCounters().GsoFallbacks);
        _faults.MaxSendCount = 5;
        leftCount = 1;
        _faults.FailEvery(CallKind.PlainSend, 10, Errno.EAGAIN, maxTimes: 1);
        SendResult part = socket.TrySend(batch);
        Assert.InRange(part.Sent, 1, Count - 1);
        Assert.Equal(1, socket.GetCounters().GsoFallbacks);

        Assert.True(socket.Send(batch).AllSent);

        Assert.Equal(Enumerable.Range(0, Count), _peer.Take(Count));
        Assert.Equal(1, socket.GetCounters().GsoFallbacks);
        Assert.Equal(2, _faults.CountOf(CallKind.GsoMessageSend));
    }

    public void Dispose() => _peer.Dispose();

    private UdpSocket Bind() => FaultySocket.Bind(_faults, segmented: true);

    private void Add(SendBatch batch, int sizeBytes)
    {
        for (int i = 0; i < Count; i++) NumberedBatch.Add(batch, _peer.EndPoint, i, sizeBytes);
    }

    private void AssertLeaves(UdpSocket socket, int sizeBytes, int messages, int fallbacks)
    {
        UdpCounters before = socket.GetCounters();
        using SendBatch batch = socket.CreateSendBatch();
        Add(batch, sizeBytes);

        Assert.Equal(new SendResult(Count, 0, 0, SocketError.Success, SendStatus.Done), socket.Send(batch));

        Assert.Equal(Enumerable.Range(0, Count), _peer.Take(Count));
        UdpCounters after = socket.GetCounters();
        Assert.Equal(
            (messages, fallbacks), (
                after.MessagesSent - before.MessagesSent, after.GsoFallbacks - before.GsoFallbacks));
    }
}
