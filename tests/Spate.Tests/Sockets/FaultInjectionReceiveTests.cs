using Spate.Interop.Linux;

namespace Spate.Tests.Sockets;

/// <summary>
/// Receives that fail at every n-th call: the loop lives, and every datagram arrives once and in order.
/// </summary>
public sealed class FaultInjectionReceiveTests
{
    private const int DatagramCount = 60;
    private const int SlotCount = 4;

    /// <summary>Where every call fails, this many do, so that one comes through.</summary>
    private const int FailedInARowCount = 6;

    public static TheoryData<int> Errors => InjectedErrno.All;

    [Theory]
    [MemberData(nameof(Errors))]
    public void Receive_EveryNthCallFails_AllArriveInOrder(int errno) =>
        ForEachDistance(errno, CallKind.ReceiveMany, coalesced: false, socket =>
        {
            using ReceiveBatch batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = SlotCount });
            List<int> numbers = [];
            while (numbers.Count < DatagramCount)
            {
                Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));
                foreach (Datagram datagram in batch) numbers.Add(BitConverter.ToInt32(datagram.Payload));
            }

            return numbers;
        });

    [Theory]
    [MemberData(nameof(Errors))]
    public void ReceiveFor_EveryNthCallFails_AllArriveInOrder(int errno) =>
        ForEachDistance(errno, CallKind.ReceiveMany, coalesced: true, socket =>
        {
            using ReceiveBatch batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = SlotCount });
            List<int> numbers = [];
            while (numbers.Count < DatagramCount)
            {
                Assert.Equal(ReceiveStatus.Received, socket.Receive(batch, FaultySocket.Patience));
                foreach (Datagram datagram in batch) numbers.Add(BitConverter.ToInt32(datagram.Payload));
            }

            return numbers;
        });

    [Theory]
    [MemberData(nameof(Errors))]
    public void ReceiveFrom_EveryNthCallFails_AllArriveInOrder(int errno) =>
        ForEachDistance(errno, CallKind.ReceiveOne, coalesced: false, TakeOneByOne);

    [Theory]
    [MemberData(nameof(Errors))]
    public void ReceiveFrom_CoalescingSocketFails_AllArriveInOrder(int errno) =>
        ForEachDistance(errno, CallKind.ReceiveMany, coalesced: true, TakeOneByOne);

    [Theory]
    [MemberData(nameof(Errors))]
    public void ReceiveFromAsync_EveryNthCallFails_AllArriveInOrder(int errno) =>
        ForEachDistance(errno, CallKind.ReceiveOne, coalesced: false, socket => Run(TakeOneByOneAsync(socket)));

    [Theory]
    [MemberData(nameof(Errors))]
    public void ReceiveFromAsync_CoalescingSocketFails_AllArriveInOrder(int errno) =>
        ForEachDistance(errno, CallKind.ReceiveMany, coalesced: true, socket => Run(TakeOneByOneAsync(socket)));

    [Theory]
    [MemberData(nameof(Errors))]
    public void ReceiveAsync_EveryNthCallFails_AllArriveInOrder(int errno) =>
        ForEachDistance(errno, CallKind.ReceiveMany, coalesced: true, socket => Run(TakeBatchesAsync(socket)));

    private static void ForEachDistance(
        int errno, CallKind kind, bool coalesced, Func<UdpSocket, List<int>> take)
    {
        for (int every = 1; every <= 5; every++)
        {
            var faults = new FaultSchedule();
            using UdpSocket socket = FaultySocket.Bind(faults, coalesced);
            FaultySocket.SendNumbered(socket.LocalEndPoint, DatagramCount);
            long maxTimes = every == 1 ? FailedInARowCount : long.MaxValue;
            faults.FailEvery(kind, every, errno, maxTimes);

            List<int> numbers = take(socket);

            Assert.Equal(Enumerable.Range(0, DatagramCount), numbers);
            AssertCounts(socket.GetCounters(), errno, Math.Min(maxTimes, faults.CountOf(kind) / every));
        }
    }

    private static void AssertCounts(in UdpCounters counters, int errno, long failureCount)
    {
        Assert.Equal(DatagramCount, counters.DatagramsReceived);
        Assert.True(failureCount > 0, "Nothing was injected.");
        long icmpErrors = errno is Errno.ECONNREFUSED or Errno.EHOSTUNREACH or Errno.ENETDOWN or Errno.EMSGSIZE
            ? failureCount : 0;
        long noBuffers = errno == Errno.ENOBUFS ? failureCount : 0;
        long unknown = errno is Errno.EPERM or Errno.EIO or Errno.EINVAL or InjectedErrno.Unknown ? failureCount : 0;
        Assert.Equal(
            (icmpErrors, noBuffers, unknown), (counters.IcmpErrors, counters.NoBufferEvents, counters.UnknownErrors));
    }

    private static List<int> TakeOneByOne(UdpSocket socket)
    {
        byte[] buffer = new byte[100];
        List<int> numbers = [];
        while (numbers.Count < DatagramCount)
        {
            Assert.Equal(
                ReceiveStatus.Received, socket.ReceiveFrom(buffer, FaultySocket.Patience, out ReceivedDatagram one));
            Assert.Equal(8, one.Length);
            numbers.Add(BitConverter.ToInt32(buffer));
        }

        return numbers;
    }

    private static async Task<List<int>> TakeOneByOneAsync(UdpSocket socket)
    {
        byte[] buffer = new byte[100];
        List<int> numbers = [];
        while (numbers.Count < DatagramCount)
        {
            ReceivedDatagram one = await socket.ReceiveFromAsync(buffer, TestContext.Current.CancellationToken);
            Assert.Equal(8, one.Length);
            numbers.Add(BitConverter.ToInt32(buffer));
        }

        return numbers;
    }

    private static async Task<List<int>> TakeBatchesAsync(UdpSocket socket)
    {
        using ReceiveBatch batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = SlotCount });
        List<int> numbers = [];
        while (numbers.Count < DatagramCount)
        {
            Assert.Equal(
                ReceiveStatus.Received, await socket.ReceiveAsync(batch, TestContext.Current.CancellationToken));
            for (int i = 0; i < batch.Count; i++) numbers.Add(BitConverter.ToInt32(batch.GetPayload(i).Span));
        }

        return numbers;
    }

    private static List<int> Run(Task<List<int>> task) =>
        task.WaitAsync(FaultySocket.Patience).GetAwaiter().GetResult();
}
