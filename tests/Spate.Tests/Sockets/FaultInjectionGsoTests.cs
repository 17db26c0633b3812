using System.Net.Sockets;
using Spate.Interop.Linux;
using Spate.Sockets;
using Spate.TestHelpers.Diagnostics;

namespace Spate.Tests.Sockets;

/// <summary>
/// GSO messages that are refused: sent plainly, once, in order, for that destination only, and tried again later.
/// </summary>
[ProcessWide("events of the process are counted")]
public sealed class FaultInjectionGsoTests : IDisposable
{
    private const int DatagramCount = 90;
    private const int GsoMessageLength = DatagramCount / PeerCount;
    private const int PeerCount = 3;

    // GSO fallback is per address, so each peer has its own.
    private readonly NumberedPeer[] _peers = [new("127.0.0.11"), new("127.0.0.12"), new("127.0.0.13")];
    private readonly FaultSchedule _faults = new();
    private readonly FakeTime _time = new();

    public static TheoryData<int> FallingBack => [Errno.EIO, Errno.EINVAL, Errno.EMSGSIZE, InjectedErrno.Unknown];

    public static TheoryData<int> WaitedOut => [Errno.EINTR, Errno.EAGAIN, Errno.ENOBUFS];

    [Theory]
    [MemberData(nameof(FallingBack))]
    public void Send_EveryNthGsoMessageRefused_PlainOnceInOrder(int errno)
    {
        for (int every = 1; every <= 5; every++)
        {
            using UdpSocket socket = Bind();
            _faults.FailEvery(CallKind.GsoMessageSend, every, errno);
            long before = _faults.CountOf(CallKind.GsoMessageSend);
            SendAll(socket);

            // GSO messages are offered in the order of the peers, and each of them once.
            Assert.Equal(PeerCount, _faults.CountOf(CallKind.GsoMessageSend) - before);
            int fallbackCount = Enumerable.Range(1, PeerCount).Count(i => (before + i) % every == 0);
            AssertSent(socket, DatagramCount, fallbackCount);
        }
    }

    [Theory]
    [MemberData(nameof(WaitedOut))]
    public void Send_GsoMessageWaits_GoesAsGsoMessageOnce(int errno)
    {
        using UdpSocket socket = Bind();
        _faults.FailEvery(CallKind.GsoMessageSend, 1, errno, maxTimes: 5);

        SendAll(socket);

        AssertSent(socket, DatagramCount, fallbackCount: 0);
    }

    [Theory]
    [InlineData(Errno.ECONNREFUSED, false, 2)]
    [InlineData(Errno.EPROTO, false, 2)]
    [InlineData(Errno.EHOSTUNREACH, true, 2)]
    [InlineData(Errno.EHOSTUNREACH, false, 0)]
    public void Send_GsoMessageMeetsErrorOfEarlierDatagram_GoesAsGsoMessageOnce(
        int errno, bool icmpErrors, int countedAsIcmp)
    {
        using UdpSocket socket = Bind(icmpErrors);
        _faults.FailEvery(CallKind.GsoMessageSend, 2, errno);

        SendAll(socket);

        AssertSent(socket, DatagramCount, fallbackCount: 0);

        // Where the socket does not hear of ICMP, an unreachable host is what the route lookup says.
        Assert.Equal(countedAsIcmp, socket.GetCounters().IcmpErrors);
    }

    [Theory]
    [InlineData(Errno.EPERM, SocketError.AccessDenied)]
    [InlineData(Errno.ENETDOWN, SocketError.NetworkDown)]
    public void Send_GsoMessageRefusedForItsDestination_AllOfItRefused(int errno, SocketError error)
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        _faults.FailEvery(CallKind.GsoMessageSend, 2, errno);
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);

        SendResult result = socket.Send(batch);

        Assert.Equal(
            new SendResult(DatagramCount - GsoMessageLength, GsoMessageLength, 0, error, SendStatus.Done), result);
        Assert.Equal(NumberedBatch.TurnOf(0, PeerCount, 0, DatagramCount), _peers[0].Take(GsoMessageLength));
        Assert.Empty(_peers[1].Take(0));
        Assert.Equal(NumberedBatch.TurnOf(2, PeerCount, 0, DatagramCount), _peers[2].Take(GsoMessageLength));
    }

    [Fact]
    public void Send_OneRouteRefusesGsoMessages_OthersKeepThemUntilRetried()
    {
        using UdpSocket socket = Bind();
        bool refuses = true;
        UdpEndPoint bad = _peers[1].EndPoint;
        _faults.ErrnoOf = message => refuses && message.IsGso && message.Peer == bad ? Errno.EIO : 0;

        SendAll(socket);
        AssertSent(socket, DatagramCount, fallbackCount: 1);
        SendAll(socket);
        AssertSent(socket, 2 * DatagramCount, fallbackCount: 1, plainGsoMessageCount: 2);

        // Still refused after the time: without GSO anew. No longer refused: a GSO message again.
        _time.Advance(GsoFallbackList.RetryAfter);
        SendAll(socket);
        AssertSent(socket, 3 * DatagramCount, fallbackCount: 2, plainGsoMessageCount: 3);
        refuses = false;
        _time.Advance(GsoFallbackList.RetryAfter - TimeSpan.FromTicks(1));
        SendAll(socket);
        AssertSent(socket, 4 * DatagramCount, fallbackCount: 2, plainGsoMessageCount: 4);
        _time.Advance(TimeSpan.FromTicks(1));
        SendAll(socket);
        AssertSent(socket, 5 * DatagramCount, fallbackCount: 2, plainGsoMessageCount: 4);
    }

    [Fact]
    public void Send_GsoMessageRefusedBehindShortResult_NothingTwice()
    {
        // One message at a time, so that the refused GSO message is never the first of what it was offered with.
        using UdpSocket socket = Bind();
        _faults.MaxSendCount = 1;
        _faults.FailEvery(CallKind.GsoMessageSend, 3, Errno.EINVAL);

        SendAll(socket);

        AssertSent(socket, DatagramCount, fallbackCount: 1);
    }

    [Fact]
    public void Send_GsoMessagesPlannedByAnotherSocket_GoAsThisOneMaySend()
    {
        FaultSchedule plainFaults = new();
        using UdpSocket planner = Bind();
        using UdpSocket plain = FaultySocket.Bind(plainFaults);
        using SendBatch batch = planner.CreateSendBatch();
        _faults.ErrnoOf = static _ => Errno.EAGAIN;
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);
        Assert.Equal(DatagramCount, planner.TrySend(batch).Remaining);

        Assert.True(plain.Send(batch).AllSent);

        Assert.Equal(0, plainFaults.CountOf(CallKind.GsoMessageSend));
        Assert.Equal(DatagramCount, plain.GetCounters().MessagesSent);
        for (int i = 0; i < PeerCount; i++)
            Assert.Equal(NumberedBatch.TurnOf(i, PeerCount, 0, DatagramCount), _peers[i].Take(GsoMessageLength));
    }

    [Fact]
    public void Send_PlainOnesOfRefusedGsoMessageFailToo_EachRefusedOnce()
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        UdpEndPoint bad = _peers[2].EndPoint;
        _faults.ErrnoOf = message => message.Peer == bad ? Errno.EMSGSIZE : 0;
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);

        SendResult result = socket.Send(batch);

        Assert.Equal(
            new SendResult(
                DatagramCount - GsoMessageLength, GsoMessageLength, 0, SocketError.MessageSize, SendStatus.Done),
            result);
        Assert.Empty(_peers[2].Take(0));
        Assert.Equal(
            (0L, (long)GsoMessageLength), (socket.GetCounters().GsoFallbacks, socket.GetCounters().DatagramsRefused));
    }

    [Fact]
    public void Send_RefusedAgainAndAgain_OneEventInTenSecondsWithCount()
    {
        using var events = new SpateEvents();
        using UdpSocket socket = Bind();
        _faults.ErrnoOf = message => message.IsGso ? Errno.EIO : 0;

        SendAll(socket);
        Assert.Equal(("127.0.0.11:" + _peers[0].EndPoint.Port, 1L), Assert.Single(GsoFallbacks(events)));

        _time.Advance(GsoFallbackList.RetryAfter);
        SendAll(socket);

        // Two that were held back, and the one that is written.
        Assert.Equal([1, 3], GsoFallbacks(events).Select(fallback => fallback.Count));
        Assert.Equal(2 * PeerCount, socket.GetCounters().GsoFallbacks);
    }

    public void Dispose() => Array.ForEach(_peers, peer => peer.Dispose());

    private static IEnumerable<(string Peer, long Count)> GsoFallbacks(SpateEvents events) =>
        from written in events.Written
        let peer = written.Payload[0] as string ?? string.Empty
        where written.Name is "GsoFallback" && peer.StartsWith("127.0.0.1", StringComparison.Ordinal)
        select (peer, (long)written.Payload[2]!);

    private UdpSocket Bind(bool icmpErrors = false) => FaultySocket.Bind(
        _faults, segmented: true, options: new() { TimeProvider = _time, ReportIcmpErrors = icmpErrors });

    private void SendAll(UdpSocket socket)
    {
        using SendBatch batch = socket.CreateSendBatch();
        NumberedBatch.AddInTurn(batch, _peers, 0, DatagramCount);
        SendResult result = socket.Send(batch);
        Assert.Equal(new SendResult(DatagramCount, 0, 0, SocketError.Success, SendStatus.Done), result);
        for (int i = 0; i < PeerCount; i++)
            Assert.Equal(NumberedBatch.TurnOf(i, PeerCount, 0, DatagramCount), _peers[i].Take(GsoMessageLength));
    }

    private static void AssertSent(
        UdpSocket socket, int datagramCount, int fallbackCount, int? plainGsoMessageCount = null)
    {
        UdpCounters counters = socket.GetCounters();
        int messageCount = datagramCount / GsoMessageLength;
        int plainCount = plainGsoMessageCount ?? fallbackCount;
        Assert.Equal(
            (datagramCount, 0L, (long)fallbackCount, (long)(
                messageCount - plainCount + (plainCount * GsoMessageLength))),
            (counters.DatagramsSent, counters.DatagramsRefused, counters.GsoFallbacks, counters.MessagesSent));
    }
}
