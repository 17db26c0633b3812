using Spate.Sockets.Rio;
using Spate.StandIn;
using Notification = Spate.UdpSocketOptions.RioNotification;

namespace Spate.Tests.Sockets.Rio;

/// <summary>
/// Each datagram that was sent is either received, or dropped by the stand-in because nothing was posted.
/// </summary>
[ProcessWide("the counts of the stand-in are the process's")]
[OverStandIn("Registered I/O")]
public sealed class RioAccountTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Receive_FourSlotsUnderFlood_AccountsForEachDatagram(bool postsOnThread)
    {
        RioModel.RequireModel();
        RioShape shape = new(SlotCount: 4, PayloadBytes: 100);
        using RioSocket<WindowsRioCalls> rio = RioModel.Open(shape, new() { PostsOnThread = postsOnThread });
        using ReceiveBatch batch = rio.Socket.CreateReceiveBatch(new() { SlotCount = 3 });
        long received = 0;
        for (int i = 0; i < TestWidth.Of(500, full: 10_000); i++)
        {
            rio.SendAndSettle(20);
            while (rio.Socket.TryReceive(batch) == ReceiveStatus.Received) received += batch.Count;
        }

        AssertAccounted(rio, received);
        Assert.True(WinsockModel.Read().RioDropped > rio.SentCount / 2, "The memory was never exhausted.");
        rio.Socket.Dispose();
        RioModel.AssertRulesKept();
    }

    [Fact]
    public void Receive_NothingPostedForLong_GoesOnAfterwards()
    {
        RioModel.RequireModel();
        using RioSocket<WindowsRioCalls> rio = RioModel.Open(new(SlotCount: 8, PayloadBytes: 100));
        using ReceiveBatch batch = rio.Socket.CreateReceiveBatch();
        rio.SendAndSettle(1000);
        long next = 0;
        rio.Receive(batch, 8, ref next);
        Assert.Equal(992, WinsockModel.Read().RioDropped);
        next = rio.SentCount;
        rio.Send(8);
        rio.Receive(batch, 8, ref next);
        RioModel.AssertRulesKept();
    }

    [Theory]
    [InlineData((int)Notification.Event, false)]
    [InlineData((int)Notification.Event, true)]
    [InlineData((int)Notification.Port, false)]
    [InlineData((int)Notification.Nothing, false)]
    public async Task Receive_PacedRun_LosesNothingUnexplained(int form, bool postsOnThread)
    {
        RioModel.RequireModel();
        UdpSocketOptions options = new() { NotifiesBy = (Notification)form, PostsOnThread = postsOnThread };
        using RioSocket<WindowsRioCalls> rio = RioModel.Open(RioShape.For(100), options);
        long received = 0;
        long disordered = 0;
        Task reader = Task.Factory.StartNew(Read, TaskCreationOptions.LongRunning);
        int count = TestWidth.Of(100_000, full: 1_000_000);

        // At most as many on the way as the slots take, so that a slow reader delays the sender and loses nothing.
        while (rio.SentCount < count)
        {
            rio.Send(100);
            while (rio.SentCount - Volatile.Read(ref received) - WinsockModel.Read().RioDropped > 700) Thread.Yield();
        }

        Wait.Until(() => Volatile.Read(ref received) + WinsockModel.Read().RioDropped >= count);
        rio.Socket.Dispose();
        await reader;
        AssertAccounted(rio, received);
        Assert.Equal(0, disordered);
        RioModel.AssertRulesKept();

        void Read()
        {
            using ReceiveBatch batch = rio.Socket.CreateReceiveBatch();
            long last = -1;
            while (rio.Socket.Receive(batch) == ReceiveStatus.Received)
            {
                foreach (Datagram datagram in batch)
                {
                    long number = BitConverter.ToInt64(datagram.Payload);
                    if (number <= last) disordered++;
                    last = number;
                }

                Interlocked.Add(ref received, batch.Count);
            }
        }
    }

    // What Wine's own socket buffer drops, no account of the stand-in has: the tests send less at once than it takes.
    private static void AssertAccounted<TCalls>(RioSocket<TCalls> rio, long received)
        where TCalls : struct, IRioCalls
    {
        ModelCounts counts = WinsockModel.Read();
        Assert.Equal(rio.SentCount, received + counts.RioDropped);
        Assert.Equal(received, counts.RioReceived);
        Assert.Equal(received, rio.Socket.GetCounters().DatagramsReceived);
    }
}
