namespace Spate.Tests.Waiting;

/// <summary>
/// A ring of one receiving thread in a poller: its readiness comes by edges, its completions in portions.
/// </summary>
public sealed class OneThreadRingTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData(0, 100)]
    [InlineData(1000, 500)]
    public void Poll_OfWhatCameBeforeAndAfterAdd_BringsAll(int before, int after)
    {
        UdpCapability uring = UdpCapabilities.Current.Uring;
        Assert.SkipUnless(uring.IsAvailable, uring.Reason);
        using UdpSocket receiver = UdpSocket.Bind(UdpEndPoint.Loopback(0), new UdpSocketOptions
        {
            Backend = UdpBackend.Uring,
            CoalescedReceive = false,
            SingleReader = true,
        });
        using UdpSocket sender = UdpSocket.Connect(receiver.LocalEndPoint);
        using ReceiveBatch batch = receiver.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 256 });
        using UdpPoller<object?> poller = new();

        // The thread that adds is not the one that receives, and an empty datagram ends the request.
        sender.Send([]);
        for (int i = 0; i < before; i++) sender.Send([1]);
        var adding = new Thread(() => poller.Add(receiver, state: null));
        adding.Start();
        adding.Join();
        Receive(poller, batch, before + 1);
        for (int i = 0; i < after; i++) sender.Send([1]);
        Receive(poller, batch, after);
    }

    private static void Receive(UdpPoller<object?> poller, ReceiveBatch batch, int count)
    {
        int received = 0;
        while (received < count)
        {
            PollStatus status = poller.Poll(batch, (_, filled, _) => received += filled.Count, Patience);
            Assert.True(status == PollStatus.Received, $"{received} of {count} came.");
        }

        Assert.Equal(count, received);
    }
}
