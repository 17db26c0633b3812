using System.Net.Sockets;

namespace Spate.Tests.Sockets.Winsock;

/// <summary>
/// Sends by WSASendMsg that fail at every n-th message: each datagram is sent once or refused, in order, and counted.
/// </summary>
public sealed class WinsockSendFaultTests
{
    private const int DatagramCount = 90;
    private const int FailedInARowCount = 6;
    private const int GsoMessageLength = DatagramCount / 3;
    private const int MaxSegmentCount = 512;
    private const int Interrupted = 10004;
    private const int WouldBlock = 10035;
    private const int NoBuffers = 10055;
    private const int UnknownCode = 10107;

    // GSO fallback is per address, so each peer has its own.
    private static readonly UdpEndPoint[] Peers =
    [
        UdpEndPoint.Parse("192.0.2.1:9"), UdpEndPoint.Parse("192.0.2.2:9"), UdpEndPoint.Parse("192.0.2.3:9"),
    ];

    private readonly RecordedSends _record = new();

    public static TheoryData<SocketError> Errors =>
    [
        SocketError.Interrupted, SocketError.WouldBlock, SocketError.NoBufferSpaceAvailable,
        SocketError.ConnectionReset, SocketError.NetworkReset, SocketError.HostUnreachable, SocketError.NetworkDown,
        SocketError.AccessDenied, SocketError.MessageSize, SocketError.InvalidArgument,
        SocketError.OperationNotSupported, SocketError.AddressNotAvailable, (SocketError)UnknownCode,
    ];

    [Theory]
    [MemberData(nameof(Errors))]
    public void Send_EveryNthDatagramFails_SentOrRefusedOnceInOrder(SocketError error)
    {
        for (int every = 1; every <= 5; every++)
        {
            RecordedSends record = new();
            using UdpSocket socket = record.Bind();
            using SendBatch batch = socket.CreateSendBatch();
            Inject(record.Faults, every, error);
            AddInTurn(batch);

            SendResult result = socket.Send(batch);

            List<int> refused = RefusedNumbers(error, every);
            SocketError first = refused.Count == 0 ? SocketError.Success : NameOf(error);
            Assert.Equal(
                new SendResult(DatagramCount - refused.Count, refused.Count, 0, first, SendStatus.Done), result);
            Assert.Equal(0, batch.Count);
            for (int i = 0; i < Peers.Length; i++)
            {
                IEnumerable<int> turn = NumberedBatch.TurnOf(i, Peers.Length, 0, DatagramCount);
                Assert.Equal(turn.Except(refused), record.NumbersTo(Peers[i]));
            }

            AssertCounts(socket.GetCounters(), DatagramCount - refused.Count, refused.Count);
        }
    }

    [Theory]
    [MemberData(nameof(Errors))]
    public void SendTo_EveryNthDatagramFails_SentOrRefusedOnceInOrder(SocketError error)
    {
        for (int every = 1; every <= 5; every++)
        {
            RecordedSends record = new();
            using UdpSocket socket = record.Bind();
            Inject(record.Faults, every, error);
            List<int> accepted = [];
            byte[] payload = new byte[8];
            for (int i = 0; i < DatagramCount; i++)
            {
                BitConverter.TryWriteBytes(payload, i);
                SendResult result = socket.SendTo(payload, Peers[0]);
                Assert.Equal((1, 0, SendStatus.Done), (result.Sent + result.Refused, result.Remaining, result.Status));
                if (result.Sent == 1) accepted.Add(i);
                else Assert.Equal(NameOf(error), result.FirstError);
            }

            List<int> refused = RefusedNumbers(error, every);
            Assert.Equal(Enumerable.Range(0, DatagramCount).Except(refused), accepted);
            Assert.Equal(accepted, record.NumbersTo(Peers[0]));
            AssertCounts(socket.GetCounters(), accepted.Count, refused.Count);
        }
    }

    [Theory]
    [InlineData((int)SocketError.InvalidArgument)]
    [InlineData((int)SocketError.MessageSize)]
    [InlineData((int)SocketError.OperationNotSupported)]
    [InlineData((int)SocketError.ProtocolOption)]
    [InlineData(UnknownCode)]
    public void Send_EveryNthGsoMessageRefused_PlainOnceInOrder(int code)
    {
        for (int every = 1; every <= 4; every++)
        {
            RecordedSends record = new();
            using UdpSocket socket = record.Bind(MaxSegmentCount);
            record.Faults.FailEvery(CallKind.GsoMessageSend, every, code);

            SendAll(socket);

            Assert.Equal(Peers.Length, record.Faults.CountOf(CallKind.GsoMessageSend));
            AssertSent(record, socket, fallbackCount: Enumerable.Range(1, Peers.Length).Count(i => i % every == 0));
        }
    }

    [Theory]
    [InlineData(Interrupted)]
    [InlineData(WouldBlock)]
    [InlineData(NoBuffers)]
    [InlineData((int)SocketError.ConnectionReset)]
    public void Send_GsoMessageWaits_GoesAsGsoMessageOnce(int code)
    {
        using UdpSocket socket = _record.Bind(MaxSegmentCount);
        _record.Faults.FailEvery(CallKind.GsoMessageSend, 1, code, maxTimes: 5);

        SendAll(socket);

        AssertSent(_record, socket, fallbackCount: 0);
    }

    [Fact]
    public void Send_OneRouteRefusesGsoMessages_OthersKeepThem()
    {
        using UdpSocket socket = _record.Bind(MaxSegmentCount);
        _record.Faults.ErrnoOf = static message =>
            message.IsGso && message.Peer == Peers[1] ? (int)SocketError.OperationNotSupported : 0;

        SendAll(socket);

        AssertSent(_record, socket, fallbackCount: 1);
        Assert.Equal(
            [GsoMessageLength, 1], Peers[..2].Select(peer => DatagramsPerMessage(_record, peer)).Distinct());

        // The second time the route is not asked again.
        SendAll(socket);
        Assert.Equal(5, _record.Faults.CountOf(CallKind.GsoMessageSend));
        Assert.Equal(1, socket.GetCounters().GsoFallbacks);
    }

    [Fact]
    public void Send_SegmentsTooLarge_SmallerOnesStayTogether()
    {
        using UdpSocket socket = _record.Bind(MaxSegmentCount);
        using SendBatch batch = socket.CreateSendBatch();
        _record.Faults.ErrnoOf = static message => message.SegmentBytes > 1400 ? (int)SocketError.MessageSize : 0;

        foreach (int sizeBytes in (int[])[2000, 100, 2000])
        {
            for (int i = 0; i < 4; i++) NumberedBatch.Add(batch, Peers[0], i, sizeBytes);
            Assert.Equal(4, socket.Send(batch).Sent);
        }

        Assert.Equal([0, 0, 0, 0, 100, 0, 0, 0, 0], _record.Messages.Select(static message => message.SegmentBytes));
        Assert.Equal(1, socket.GetCounters().GsoFallbacks);
    }

    [Fact]
    public void Send_DatagramsAtFault_NothingFallsBack()
    {
        using UdpSocket socket = _record.Bind(MaxSegmentCount);
        using SendBatch batch = socket.CreateSendBatch();
        _record.Faults.ErrnoOf = static _ => (int)SocketError.MessageSize;
        for (int i = 0; i < 4; i++) NumberedBatch.Add(batch, Peers[0], i);

        SendResult result = socket.Send(batch);

        Assert.Equal(new SendResult(0, 4, 0, SocketError.MessageSize, SendStatus.Done), result);
        Assert.Equal(0, socket.GetCounters().GsoFallbacks);
    }

    [Fact]
    public void Send_GsoMessagesPlannedByAnotherSocket_GoAsThisOneMaySend()
    {
        RecordedSends plainRecord = new();
        using UdpSocket planner = _record.Bind(MaxSegmentCount);
        using UdpSocket plain = plainRecord.Bind();
        using SendBatch batch = planner.CreateSendBatch();
        _record.Faults.ErrnoOf = static _ => WouldBlock;
        AddInTurn(batch);
        Assert.Equal(DatagramCount, planner.TrySend(batch).Remaining);

        Assert.True(plain.Send(batch).AllSent);

        Assert.All(plainRecord.Messages, static message => Assert.Equal(0, message.SegmentBytes));
        Assert.Equal(DatagramCount, plainRecord.Messages.Count);
    }

    [Fact]
    public void Send_BadPointer_Throws()
    {
        using UdpSocket socket = _record.Bind();
        _record.Faults.FailEvery(CallKind.PlainSend, 1, (int)SocketError.Fault);

        InvalidOperationException fault = Assert.Throws<InvalidOperationException>(
            () => socket.SendTo("x"u8, Peers[0]));

        Assert.Contains("Fault (10014)", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(250)]
    public void Send_NeverAnyRoom_TimesOutAndKeepsTheRest(int timeoutMilliseconds)
    {
        FakeTime time = new();
        using UdpSocket socket = _record.Bind(options: new UdpSocketOptions { TimeProvider = time });
        using SendBatch batch = socket.CreateSendBatch();
        _record.Faults.FailEvery(CallKind.PlainSend, 1, WouldBlock);
        List<int> waits = [];
        _record.Faults.PollAnswer = milliseconds =>
        {
            waits.Add(milliseconds);
            time.Advance(TimeSpan.FromMilliseconds(milliseconds));
            return 0;
        };
        NumberedBatch.Add(batch, Peers[0], 0);

        SendResult result = socket.Send(batch, TimeSpan.FromMilliseconds(timeoutMilliseconds));

        Assert.Equal(new SendResult(0, 0, 1, SocketError.Success, SendStatus.TimedOut), result);
        Assert.Equal(timeoutMilliseconds == 0 ? [] : [100, 100, 50], waits);
        Assert.Equal(1, batch.Count);
    }

    private static void Inject(FaultSchedule faults, int every, SocketError error)
    {
        // A fault that is waited out would never end if it happened at each call.
        bool isWaitedOut = (int)error is Interrupted or WouldBlock or NoBuffers;
        faults.FailEvery(
            CallKind.PlainSend, every, (int)error, isWaitedOut && every == 1 ? FailedInARowCount : long.MaxValue);
    }

    // Refused at once: every n-th. Pending errors of earlier datagrams: only one that meets a second is refused.
    private static List<int> RefusedNumbers(SocketError error, int every) => error switch
    {
        (SocketError)Interrupted or (SocketError)WouldBlock or (SocketError)NoBuffers => [],
        SocketError.ConnectionReset or SocketError.NetworkReset or SocketError.HostUnreachable =>
            every == 1 ? [.. Enumerable.Range(0, DatagramCount)] : [],
        _ => [.. Enumerable.Range(0, DatagramCount).Where(number => (number + 1) % every == 0)],
    };

    private static SocketError NameOf(SocketError error) =>
        Enum.IsDefined(error) ? error : SocketError.SocketError;

    private static void AddInTurn(SendBatch batch)
    {
        for (int i = 0; i < DatagramCount; i++) NumberedBatch.Add(batch, Peers[i % Peers.Length], i);
    }

    private static void SendAll(UdpSocket socket)
    {
        using SendBatch batch = socket.CreateSendBatch();
        AddInTurn(batch);
        Assert.Equal(
            new SendResult(DatagramCount, 0, 0, SocketError.Success, SendStatus.Done), socket.Send(batch));
    }

    private static int DatagramsPerMessage(RecordedSends record, UdpEndPoint peer) =>
        RecordedSends.DatagramsOf(record.Messages.First(message => message.Peer == peer)).Count();

    private static void AssertSent(RecordedSends record, UdpSocket socket, int fallbackCount)
    {
        for (int i = 0; i < Peers.Length; i++)
            Assert.Equal(NumberedBatch.TurnOf(i, Peers.Length, 0, DatagramCount), record.NumbersTo(Peers[i]));
        UdpCounters counters = socket.GetCounters();
        Assert.Equal(
            (DatagramCount, 0L, fallbackCount),
            (counters.DatagramsSent, counters.DatagramsRefused, counters.GsoFallbacks));
        Assert.Equal(
            Peers.Length - fallbackCount + (fallbackCount * GsoMessageLength), counters.MessagesSent);
    }

    private static void AssertCounts(in UdpCounters counters, int sentCount, int refusedCount) => Assert.Equal(
        (sentCount, refusedCount, 0L, sentCount),
        (counters.DatagramsSent, counters.DatagramsRefused, counters.GsoFallbacks, counters.MessagesSent));
}
