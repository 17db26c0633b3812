using Spate.Interop.Linux;
using Spate.Tests.Sockets;

namespace Spate.Tests;

/// <summary>
/// Many datagrams by each way over loopback, in windows of which none is dropped: nothing is allocated, in the
/// whole process.
/// </summary>
[ProcessWide("allocation of the process")]
public sealed class AllocationTests
{
    private const int WindowCount = 100;
    private const int WarmUpCount = 40_000;
    private const int PayloadBytes = 64;

    // The runtime's own, such as a thread of the pool. An object a datagram would be a hundred times as much.
    private const long MaxOtherBytes = 20_000;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    private static int DatagramCount => TestWidth.Of(100_000, full: 1_000_000);

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 1)]
    [InlineData(false, 50)]
    [InlineData(true, 50)]
    public void Batches_ManyDatagrams_NothingAllocated(bool offloads, int receiverCount)
    {
        UdpSocket[] receivers = [.. Enumerable.Range(0, receiverCount).Select(_ => Bind(offloads))];
        using UdpSocket sender = Bind(offloads);
        using SendBatch outgoing = sender.CreateSendBatch();
        using ReceiveBatch incoming = sender.CreateReceiveBatch();
        AssertNothingAllocated(count =>
        {
            for (int done = 0; done < count; done += WindowCount)
            {
                for (int i = 0; i < WindowCount; i++)
                    Check(outgoing.TryReserve(receivers[i % receiverCount].LocalEndPoint, PayloadBytes, out _));
                Check(sender.Send(outgoing).AllSent);
                foreach (UdpSocket receiver in receivers) Drain(receiver, incoming, WindowCount / receiverCount);
            }
        });
        Array.ForEach(receivers, receiver => receiver.Dispose());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ReceiveFrom_ManyDatagrams_NothingAllocated(bool offloads)
    {
        using UdpSocket receiver = Bind(offloads);
        using UdpSocket sender = Bind(offloads);
        using SendBatch outgoing = sender.CreateSendBatch();
        byte[] buffer = new byte[PayloadBytes];
        AssertNothingAllocated(count =>
        {
            for (int done = 0; done < count; done += WindowCount)
            {
                Send(sender, outgoing, receiver.LocalEndPoint);
                for (int i = 0; i < WindowCount; i++)
                    Check(receiver.ReceiveFrom(buffer, Patience, out _) == ReceiveStatus.Received);
            }
        });
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public void ReceiveFromAsyncAndSendToAsync_ManyDatagrams_NothingAllocated(bool inline, bool limited)
    {
        using UdpSocket receiver = Bind(offloads: false, inline);
        using UdpSocket sender = Bind(offloads: false, inline);
        byte[] buffer = new byte[PayloadBytes];
        byte[] payload = new byte[PayloadBytes];
        CancellationToken token = TestContext.Current.CancellationToken;
        AssertNothingAllocatedAsync(async count =>
        {
            for (int done = 0; done < count; done += WindowCount)
            {
                // The first of each window is waited for; the others are there when they are asked for, or not.
                ValueTask<ReceivedDatagram> first = limited
                    ? receiver.ReceiveFromAsync(buffer, Patience, token)
                    : receiver.ReceiveFromAsync(buffer, token);
                for (int i = 0; i < WindowCount; i++)
                    Check((await sender.SendToAsync(payload, receiver.LocalEndPoint, token)).AllSent);
                Check((await first).Length == PayloadBytes);
                for (int i = 1; i < WindowCount; i++)
                    Check((await receiver.ReceiveFromAsync(buffer, token)).Length == PayloadBytes);
            }
        }, limited ? DatagramCount / 10 : DatagramCount);
    }

    [Fact]
    public void ReceiveAsyncAndSendAsync_ManyDatagrams_NothingAllocated()
    {
        using UdpSocket receiver = Bind(offloads: true);
        using UdpSocket sender = Bind(offloads: true);
        using SendBatch outgoing = sender.CreateSendBatch();
        using ReceiveBatch incoming = receiver.CreateReceiveBatch();
        CancellationToken token = TestContext.Current.CancellationToken;
        AssertNothingAllocatedAsync(async count =>
        {
            for (int done = 0; done < count; done += WindowCount)
            {
                ValueTask<ReceiveStatus> first = receiver.ReceiveAsync(incoming, token);
                for (int i = 0; i < WindowCount; i++)
                    Check(outgoing.TryReserve(receiver.LocalEndPoint, PayloadBytes, out _));
                Check((await sender.SendAsync(outgoing, token)).AllSent);
                Check(await first == ReceiveStatus.Received);
                for (int left = WindowCount - incoming.Count; left > 0; left -= incoming.Count)
                    Check(await receiver.ReceiveAsync(incoming, token) == ReceiveStatus.Received);
            }
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void SendAsyncWithALimit_EverySecondWaits_NothingAllocated(bool inline)
    {
        FaultSchedule faults = new();
        using UdpSocket sender = FaultySocket.Bind(
            faults, options: new UdpSocketOptions { AllowSynchronousContinuations = inline });
        using UdpSocket receiver = Bind(offloads: false);
        using SendBatch outgoing = sender.CreateSendBatch();
        byte[] payload = new byte[PayloadBytes];
        CancellationToken token = TestContext.Current.CancellationToken;
        faults.FailEvery(CallKind.PlainSend, 2, Errno.EAGAIN);
        AssertNothingAllocatedAsync(async count =>
        {
            for (int done = 0; done < count; done += 2)
            {
                Check(outgoing.TryAdd(payload, receiver.LocalEndPoint));
                Check((await sender.SendAsync(outgoing, Patience, token)).AllSent);
                Check((await sender.SendToAsync(payload, receiver.LocalEndPoint, Patience, token)).AllSent);
            }
        }, DatagramCount / 10);
        Check(faults.CountOf(CallKind.PlainSend) > sender.GetCounters().DatagramsSent);
    }

    private static UdpSocket Bind(bool offloads, bool inline = false)
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(mmsg.IsAvailable, mmsg.Reason);
        return UdpSocket.Bind(UdpEndPoint.Loopback(0), new UdpSocketOptions
        {
            Backend = UdpBackend.Mmsg,
            CoalescedReceive = offloads,
            SegmentedSend = offloads,
            AllowSynchronousContinuations = inline,
        });
    }

    private static void Send(UdpSocket sender, SendBatch outgoing, in UdpEndPoint to)
    {
        for (int i = 0; i < WindowCount; i++) Check(outgoing.TryReserve(to, PayloadBytes, out _));
        Check(sender.Send(outgoing).AllSent);
    }

    private static void Drain(UdpSocket receiver, ReceiveBatch incoming, int count)
    {
        int left = count;
        while (left > 0)
        {
            Check(receiver.Receive(incoming, Patience) == ReceiveStatus.Received);
            foreach (Datagram datagram in incoming)
            {
                Check(datagram.Payload.Length == PayloadBytes);
                left--;
            }
        }

        Check(left == 0);
    }

    // The assertions of the test framework allocate.
    private static void Check(bool condition)
    {
        if (!condition) throw new InvalidOperationException("A datagram was not sent, or did not arrive as sent.");
    }

    // On the pool: the test framework's synchronization context allocates for every await.
    private static void AssertNothingAllocatedAsync(Func<int, Task> run, int? datagramCount = null) =>
        AssertNothingAllocated(
            count => Task.Run(() => run(count)).WaitAsync(TimeSpan.FromMinutes(3)).GetAwaiter().GetResult(),
            datagramCount);

    private static void AssertNothingAllocated(Action<int> run, int? datagrams = null)
    {
        int datagramCount = datagrams ?? DatagramCount;
        run(WarmUpCount);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        int collectionCount = GC.CollectionCount(0);
        long allocatedBytes = GC.GetTotalAllocatedBytes(precise: true);

        run(datagramCount);

        allocatedBytes = GC.GetTotalAllocatedBytes(precise: true) - allocatedBytes;
        Assert.Equal(0, GC.CollectionCount(0) - collectionCount);
        Assert.True(
            allocatedBytes < MaxOtherBytes,
            $"{allocatedBytes} bytes were allocated for {datagramCount} datagrams.");
    }
}
