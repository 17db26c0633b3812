using System.Net.Sockets;
using Spate.Interop.Linux;

namespace Spate.Tests.Sockets;

/// <summary>
/// Plain sends that fail at every n-th datagram: each one is sent once or refused, in order, and counted.
/// </summary>
public sealed class FaultInjectionSendTests
{
    private const int DatagramCount = 90;
    private const int PeerCount = 3;
    private const int FailedInARowCount = 6;

    public static TheoryData<int> Errors => InjectedErrno.All;

    [Theory]
    [MemberData(nameof(Errors))]
    public void Send_EveryNthDatagramFails_SentOrRefusedOnceInOrder(int errno) =>
        ForEachDistance(errno, short.MaxValue);

    [Theory]
    [MemberData(nameof(Errors))]
    public void Send_ShortResultsAndFaults_SentOrRefusedOnceInOrder(int errno) => ForEachDistance(errno, 3);

    [Theory]
    [MemberData(nameof(Errors))]
    public void SendTo_EveryNthDatagramFails_SentOrRefusedOnceInOrder(int errno)
    {
        for (int every = 1; every <= 5; every++)
        {
            var faults = new FaultSchedule();
            using UdpSocket socket = FaultySocket.Bind(faults);
            using var peer = new NumberedPeer();
            Inject(faults, every, errno);
            List<int> accepted = [];
            byte[] payload = new byte[8];
            SocketError firstError = SocketError.Success;
            for (int i = 0; i < DatagramCount; i++)
            {
                BitConverter.TryWriteBytes(payload, i);
                SendResult result = socket.SendTo(payload, peer.EndPoint);
                Assert.Equal((1, 0, SendStatus.Done), (result.Sent + result.Refused, result.Remaining, result.Status));
                if (result.Sent == 1) accepted.Add(i);
                else if (firstError == SocketError.Success) firstError = result.FirstError;
            }

            List<int> refused = RefusedNumbers(errno, every);
            Assert.Equal(Enumerable.Range(0, DatagramCount).Except(refused), accepted);
            Assert.Equal(accepted, peer.Take(accepted.Count));
            AssertCounts(socket.GetCounters(), accepted.Count, refused.Count);
            Assert.Equal(refused.Count == 0 ? SocketError.Success : ExpectedError(errno), firstError);
        }
    }

    [Fact]
    public void Send_OneOfManyPeersRefuses_OnlyItsDatagramsAreRefused()
    {
        var faults = new FaultSchedule();
        using UdpSocket socket = FaultySocket.Bind(faults);
        using SendBatch batch = socket.CreateSendBatch();
        NumberedPeer[] peers = [.. Enumerable.Range(0, PeerCount).Select(_ => new NumberedPeer())];
        UdpEndPoint bad = peers[1].EndPoint;
        faults.ErrnoOf = message => message.Peer == bad ? Errno.EPERM : 0;
        NumberedBatch.AddInTurn(batch, peers, 0, DatagramCount);

        SendResult result = socket.Send(batch);

        Assert.Equal(
            new SendResult(DatagramCount * 2 / 3, DatagramCount / 3, 0, SocketError.AccessDenied, SendStatus.Done),
            result);
        Assert.Equal(NumberedBatch.TurnOf(0, PeerCount, 0, DatagramCount), peers[0].Take(DatagramCount / 3));
        Assert.Empty(peers[1].Take(0));
        Assert.Equal(NumberedBatch.TurnOf(2, PeerCount, 0, DatagramCount), peers[2].Take(DatagramCount / 3));
        Array.ForEach(peers, peer => peer.Dispose());
    }

    [Fact]
    public void Send_SystemTakesFewAtATime_EachOfferedOnce()
    {
        var faults = new FaultSchedule { MaxSendCount = 7 };
        using UdpSocket socket = FaultySocket.Bind(faults);
        using SendBatch batch = socket.CreateSendBatch();
        using var peer = new NumberedPeer();
        NumberedBatch.AddInTurn(batch, [peer], 0, DatagramCount);

        Assert.Equal(DatagramCount, socket.Send(batch).Sent);

        Assert.Equal(Enumerable.Range(0, DatagramCount), peer.Take(DatagramCount));
        Assert.Equal(DatagramCount, faults.CountOf(CallKind.PlainSend));
        Assert.Equal((DatagramCount + 6) / 7, faults.SendCalls);
        Assert.Equal(faults.SendCalls, socket.GetCounters().SendCalls);
    }

    private static void ForEachDistance(int errno, int maxSendCount)
    {
        for (int every = 1; every <= 5; every++)
        {
            var faults = new FaultSchedule { MaxSendCount = maxSendCount };
            using UdpSocket socket = FaultySocket.Bind(faults);
            using SendBatch batch = socket.CreateSendBatch();
            NumberedPeer[] peers = [.. Enumerable.Range(0, PeerCount).Select(_ => new NumberedPeer())];
            Inject(faults, every, errno);
            NumberedBatch.AddInTurn(batch, peers, 0, DatagramCount);

            SendResult result = socket.Send(batch);

            List<int> refused = RefusedNumbers(errno, every);
            SocketError error = refused.Count == 0 ? SocketError.Success : ExpectedError(errno);
            Assert.Equal(
                new SendResult(DatagramCount - refused.Count, refused.Count, 0, error, SendStatus.Done), result);
            Assert.Equal(0, batch.Count);
            for (int i = 0; i < PeerCount; i++)
            {
                List<int> expected = [.. NumberedBatch.TurnOf(i, PeerCount, 0, DatagramCount).Except(refused)];
                Assert.Equal(expected, peers[i].Take(expected.Count));
                peers[i].Dispose();
            }

            AssertCounts(socket.GetCounters(), DatagramCount - refused.Count, refused.Count);
        }
    }

    private static void Inject(FaultSchedule faults, int every, int errno)
    {
        // What is waited out would never end if it failed for ever.
        bool waitedOut = errno is Errno.EINTR or Errno.EAGAIN or Errno.ENOBUFS;
        faults.FailEvery(CallKind.PlainSend, every, errno, waitedOut && every == 1 ? FailedInARowCount : long.MaxValue);
    }

    // Refused at once: every n-th. Pending errors of earlier datagrams: only one that meets a second is refused.
    private static List<int> RefusedNumbers(int errno, int every) => errno switch
    {
        Errno.EINTR or Errno.EAGAIN or Errno.ENOBUFS => [],
        Errno.ECONNREFUSED or Errno.EHOSTUNREACH =>
            every == 1 ? [.. Enumerable.Range(0, DatagramCount)] : [],
        _ => [.. Enumerable.Range(0, DatagramCount).Where(number => (number + 1) % every == 0)],
    };

    private static SocketError ExpectedError(int errno) => errno switch
    {
        Errno.ECONNREFUSED => SocketError.ConnectionRefused,
        Errno.EHOSTUNREACH => SocketError.HostUnreachable,
        Errno.ENETDOWN => SocketError.NetworkDown,
        Errno.EPERM => SocketError.AccessDenied,
        Errno.EINVAL => SocketError.InvalidArgument,
        Errno.EMSGSIZE => SocketError.MessageSize,
        _ => SocketError.SocketError,
    };

    private static void AssertCounts(in UdpCounters counters, int sentCount, int refusedCount)
    {
        Assert.Equal(
            (sentCount, refusedCount, 0L),
            (counters.DatagramsSent, counters.DatagramsRefused, counters.GsoFallbacks));
        Assert.Equal(sentCount, counters.MessagesSent);
    }
}
