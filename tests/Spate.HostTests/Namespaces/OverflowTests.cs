namespace Spate.HostTests.Namespaces;

/// <summary>
/// A receiver that does not keep up: what it does not get, the kernel's drop count of its socket tells exactly.
/// </summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class OverflowTests : IDisposable
{
    private const int DatagramCount = 20_000;
    private const int AttemptCount = 5;

    private static readonly TimeSpan Silence = TimeSpan.FromMilliseconds(500);

    private readonly NetworkNamespace _near = new();
    private readonly NetworkNamespace _far = new();

    public OverflowTests() => NetworkNamespace.Join(_near, "10.78.0.1/24", _far, "10.78.0.2/24");

    [Theory]
    [InlineData(UdpBackend.Mmsg, false)]
    [InlineData(UdpBackend.Mmsg, true)]
    [InlineData(UdpBackend.Portable, false)]
    public void Receive_BufferOverflowsWithoutCoalescing_SentIsReceivedPlusDrops(UdpBackend backend, bool segmented)
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(mmsg.IsAvailable, mmsg.Reason);

        // Between the two lies the queue of the receiving processor, whose overflow no socket can count. It is rare,
        // and the kernel tells of it.
        for (int attempt = 1; ; attempt++)
        {
            long queueDrops = CountQueueDrops();
            using UdpSocket sender = _near.Bind("0.0.0.0:0", new UdpSocketOptions { SegmentedSend = segmented });
            using UdpSocket receiver = _far.Bind(
                "10.78.0.2:0",
                new UdpSocketOptions { Backend = backend, CoalescedReceive = false, ReceiveBufferBytes = 64 << 10 });
            Resolve(sender, receiver);
            long resolvedCount = receiver.GetCounters().DatagramsReceived;
            long sentCount = SendAll(sender, receiver.LocalEndPoint);
            long receivedCount = ReceiveAll(receiver);
            if (CountQueueDrops() != queueDrops && attempt < AttemptCount) continue;

            UdpCounters counters = receiver.GetCounters();
            Assert.Equal(DatagramCount, sentCount);
            Assert.True(counters.KernelDrops > 0, "Nothing overflowed.");
            Assert.Equal(sentCount, receivedCount + counters.KernelDrops);
            Assert.Equal(receivedCount, counters.DatagramsReceived - resolvedCount);
            Assert.Equal(UdpDropUnit.Datagrams, counters.KernelDropUnit);
            return;
        }
    }

    public void Dispose()
    {
        _near.Dispose();
        _far.Dispose();
    }

    // Until the neighbour's address is known, the kernel keeps a few datagrams and drops the others uncounted.
    private static void Resolve(UdpSocket sender, UdpSocket receiver)
    {
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        do
        {
            Assert.Equal(1, sender.SendTo(new byte[100], receiver.LocalEndPoint).Sent);
        }
        while (receiver.Receive(batch, Silence) != ReceiveStatus.Received);

        while (receiver.Receive(batch, Silence) == ReceiveStatus.Received)
        {
            // The answer to an earlier try.
        }
    }

    private static long SendAll(UdpSocket sender, in UdpEndPoint to)
    {
        long before = sender.GetCounters().DatagramsSent;
        using SendBatch batch = sender.CreateSendBatch();
        for (int i = 0; i < DatagramCount; i++)
        {
            if (batch.TryAdd(new byte[100], to)) continue;
            Assert.True(sender.Send(batch).AllSent);
            Assert.True(batch.TryAdd(new byte[100], to));
        }

        Assert.True(sender.Send(batch).AllSent);
        return sender.GetCounters().DatagramsSent - before;
    }

    private static long ReceiveAll(UdpSocket receiver)
    {
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        long count = 0;
        while (receiver.Receive(batch, Silence) == ReceiveStatus.Received) count += batch.Count;
        return count;
    }

    // The second column of each processor's line (net/core/net-procfs.c).
    private static long CountQueueDrops() =>
        File.ReadLines("/proc/net/softnet_stat").Sum(line => Convert.ToInt64(line.Split(' ')[1], 16));
}
