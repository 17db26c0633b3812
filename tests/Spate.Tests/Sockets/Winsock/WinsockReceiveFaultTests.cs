using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Tests.Sockets.Winsock;

/// <summary>
/// Receives that fail at every n-th post, or end with an error: the loop lives, and every datagram arrives once and in
/// order.
/// </summary>
public sealed class WinsockReceiveFaultTests
{
    private const int DatagramCount = 150;
    private const int PostedCount = 64;
    private const int Unknown = 12_345;
    private const int NoSystemResources = 1450;
    private const int PortUnreachable = 1234;

    /// <summary>Where every post fails, this many do, so that one comes through.</summary>
    private const int FailedInARowCount = 6;

    public WinsockReceiveFaultTests() => WinsockTestSocket.RequireWinsock();

    public static TheoryData<int, bool> Errors
    {
        get
        {
            TheoryData<int, bool> data = [];
            int[] codes =
            [
                (int)SocketError.ConnectionReset, (int)SocketError.NetworkReset, (int)SocketError.HostUnreachable,
                PortUnreachable, (int)SocketError.NoBufferSpaceAvailable, NoSystemResources, Unknown,
                (int)SocketError.InvalidArgument, (int)SocketError.Interrupted, (int)SocketError.OperationAborted,
            ];
            foreach (int code in codes) data.Add(code, true);

            // An aborted post means that the socket is closed.
            foreach (int code in codes[..^1]) data.Add(code, false);
            data.Add((int)SocketError.WouldBlock, false);
            return data;
        }
    }

    [Theory, MemberData(nameof(Errors))]
    public void Receive_EveryNthFails_AllArriveInOrder(int error, bool atItsEnd) =>
        ForEachDistance(error, atItsEnd, static socket =>
        {
            using ReceiveBatch batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 4 });
            List<int> numbers = [];
            while (numbers.Count < DatagramCount)
            {
                Assert.Equal(ReceiveStatus.Received, socket.Receive(batch, FaultySocket.Patience));
                foreach (Datagram datagram in batch) numbers.Add(BitConverter.ToInt32(datagram.Payload));
            }

            return numbers;
        });

    [Theory, MemberData(nameof(Errors))]
    public void ReceiveFrom_EveryNthFails_AllArriveInOrder(int error, bool atItsEnd) =>
        ForEachDistance(error, atItsEnd, static socket =>
        {
            byte[] buffer = new byte[100];
            List<int> numbers = [];
            while (numbers.Count < DatagramCount)
            {
                Assert.Equal(ReceiveStatus.Received, socket.ReceiveFrom(buffer, FaultySocket.Patience, out _));
                numbers.Add(BitConverter.ToInt32(buffer));
            }

            return numbers;
        });

    [Theory, MemberData(nameof(Errors))]
    public void ReceiveAsync_EveryNthFails_AllArriveInOrder(int error, bool atItsEnd) =>
        ForEachDistance(error, atItsEnd, static socket =>
            TakeAsync(socket).WaitAsync(FaultySocket.Patience).GetAwaiter().GetResult());

    [Fact]
    public void Receive_NothingCanBePosted_TimesOutAndArrivesLater()
    {
        ReceiveSchedule faults = new() { Every = 1, Error = (int)SocketError.NoBufferSpaceAvailable };
        using WinsockTestSocket one = new(faults);
        FaultySocket.SendNumbered(one.Socket.LocalEndPoint, 1);
        using ReceiveBatch batch = one.Socket.CreateReceiveBatch();

        Assert.Equal(Receiver.RetryLater, one.Socket.TryReceiveOrRetry(batch));
        Assert.Equal(ReceiveStatus.TimedOut, one.Socket.Receive(batch, TimeSpan.FromMilliseconds(5)));
        Assert.False(one.Socket.PrepareToWait());
        Assert.True(one.Socket.GetCounters().NoBufferEvents > 1);

        faults.Every = 0;
        Assert.Equal(ReceiveStatus.Received, one.Socket.Receive(batch, FaultySocket.Patience));

        // The last error is reported by the next call that finds no datagram.
        one.Socket.TryReceive(batch);
        Assert.True(one.Socket.PrepareToWait());
    }

    [Fact]
    public void Receive_JoinedDataLongerThanADatagramWithoutItsSize_IsRefusedAndCounted()
    {
        const uint longerThanAnyDatagram = 65_508;
        bool isFirst = true;
        ReceiveSchedule faults = new();
        faults.OnPackets = packets =>
        {
            if (packets.Length == 0 || !isFirst) return;
            isFirst = false;
            packets[0].dwNumberOfBytesTransferred = longerThanAnyDatagram;
        };
        using WinsockTestSocket one = new(faults, coalesces: true);
        using ReceiveBatch batch = one.Socket.CreateReceiveBatch();
        Assert.Equal(ReceiveStatus.Empty, one.Socket.TryReceive(batch));
        FaultySocket.SendNumbered(one.Socket.LocalEndPoint, 2);
        List<int> numbers = [];
        while (numbers.Count < 1)
        {
            Assert.Equal(ReceiveStatus.Received, one.Socket.Receive(batch, FaultySocket.Patience));
            foreach (Datagram datagram in batch) numbers.Add(BitConverter.ToInt32(datagram.Payload));
        }

        Assert.Equal([1], numbers);
        Assert.Equal((1, 1), (one.Socket.GetCounters().DatagramsReceived, one.Socket.GetCounters().UnknownErrors));
    }

    private static async Task<List<int>> TakeAsync(UdpSocket socket)
    {
        using ReceiveBatch batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 4 });
        List<int> numbers = [];
        while (numbers.Count < DatagramCount)
        {
            Assert.Equal(
                ReceiveStatus.Received, await socket.ReceiveAsync(batch, TestContext.Current.CancellationToken));
            for (int i = 0; i < batch.Count; i++) numbers.Add(BitConverter.ToInt32(batch.GetPayload(i).Span));
        }

        return numbers;
    }

    private static void ForEachDistance(int error, bool atItsEnd, Func<UdpSocket, List<int>> take)
    {
        for (int every = 1; every <= 5; every++)
        {
            ReceiveSchedule faults = new()
            {
                Every = every,
                Error = error,
                FailsAtItsEnd = atItsEnd,
                MaxCount = every == 1 ? FailedInARowCount : int.MaxValue,
            };
            using WinsockTestSocket one = new(faults);
            FaultySocket.SendNumbered(one.Socket.LocalEndPoint, DatagramCount);

            List<int> numbers = take(one.Socket);

            Assert.Equal(Enumerable.Range(0, DatagramCount), numbers);
            Assert.True(faults.FailedCount > 0, "Nothing was injected.");
            AssertCounts(one.Socket.GetCounters(), error, faults.FailedCount - (atItsEnd ? PostedCount : 0), faults);
        }
    }

    // Of several errors that no call has reported yet, only those of ICMP are all counted. A posted receive may have
    // ended with one that nobody has met yet.
    private static void AssertCounts(in UdpCounters counters, int error, int metCount, ReceiveSchedule faults)
    {
        int failedCount = faults.FailedCount;
        Assert.Equal(DatagramCount, counters.DatagramsReceived);
        ErrnoAction action = SocketErrorPolicy.Of(error).Receive;
        bool isIcmp = action == ErrnoAction.PendingError;
        bool isShortage = action is ErrnoAction.NoBuffers or ErrnoAction.WouldBlock;
        bool isSilent = action is ErrnoAction.Retry or ErrnoAction.Closed;
        Assert.InRange(counters.IcmpErrors, isIcmp ? metCount - 1 : 0, isIcmp ? failedCount : 0);
        Assert.InRange(counters.NoBufferEvents, 0, isShortage ? failedCount : 0);
        Assert.InRange(counters.UnknownErrors, 0, isIcmp || isShortage || isSilent ? 0 : failedCount);
    }
}
