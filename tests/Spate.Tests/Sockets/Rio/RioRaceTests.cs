using Spate.Sockets.Rio;
using Spate.StandIn;
using Notification = Spate.UdpSocketOptions.RioNotification;

namespace Spate.Tests.Sockets.Rio;

/// <summary>Several threads use one socket at once, also while it closes.</summary>
[ProcessWide("the broken rules that the stand-in notes are the process's")]
[OverStandIn("Registered I/O")]
public sealed class RioRaceTests
{
    private const int ThreadCount = 4;

    [Theory]
    [InlineData((int)Notification.Event, false)]
    [InlineData((int)Notification.Event, true)]
    [InlineData((int)Notification.Port, false)]
    [InlineData((int)Notification.Nothing, true)]
    public async Task Receive_ManyThreads_ShareAllDatagramsAndNeverAQueue(int form, bool postsOnThread)
    {
        RioModel.RequireModel();
        WinsockModel.Set("linger", 1);
        UdpSocketOptions options = new() { NotifiesBy = (Notification)form, PostsOnThread = postsOnThread };
        using RioSocket<WindowsRioCalls> rio = RioModel.Open(new(SlotCount: 32, PayloadBytes: 100), options);
        int count = TestWidth.Of(5_000, full: 50_000);
        int[] times = new int[count];
        long received = 0;
        Task[] readers = [.. Enumerable.Range(0, ThreadCount).Select(_ => Task.Factory.StartNew(
            Read, TaskCreationOptions.LongRunning))];
        while (rio.SentCount < count)
        {
            rio.Send(10);
            Wait.Until(() => rio.SentCount - Volatile.Read(ref received) - WinsockModel.Read().RioDropped < 20);
        }

        Wait.Until(() => Volatile.Read(ref received) + WinsockModel.Read().RioDropped >= count);
        rio.Socket.Dispose();
        await Task.WhenAll(readers);
        Assert.All(times, static one => Assert.InRange(one, 0, 1));
        Assert.Equal(WinsockModel.Read().RioReceived, times.Sum());
        RioModel.AssertRulesKept();

        void Read()
        {
            using ReceiveBatch batch = rio.Socket.CreateReceiveBatch(new() { SlotCount = 5 });
            while (rio.Socket.Receive(batch) == ReceiveStatus.Received)
            {
                foreach (Datagram one in batch) Interlocked.Increment(ref times[BitConverter.ToInt64(one.Payload)]);
                Interlocked.Add(ref received, batch.Count);
            }
        }
    }

    [Theory]
    [InlineData((int)Notification.Event, false)]
    [InlineData((int)Notification.Event, true)]
    [InlineData((int)Notification.Port, false)]
    [InlineData((int)Notification.Nothing, false)]
    public async Task Dispose_WhileCallsAndDatagramsCome_EndsAllAndBreaksNoRule(int form, bool postsOnThread)
    {
        RioModel.RequireModel();
        UdpSocketOptions options = new() { NotifiesBy = (Notification)form, PostsOnThread = postsOnThread };
        RioShape shape = new(SlotCount: 8, PayloadBytes: 100);
        Random random = new(form);
        for (int round = 0; round < TestWidth.Of(100, full: 1_000); round++)
        {
            RioSocket<WindowsRioCalls> rio = RioModel.Open(shape, options);
            Task[] calls =
            [
                UseUntilClosed(rio.Socket, static (socket, batch) => socket.Receive(batch)),
                UseUntilClosed(
                    rio.Socket, static (socket, batch) => socket.Receive(batch, TimeSpan.FromMilliseconds(1))),
                UseUntilClosed(rio.Socket, static (socket, batch) => socket.TryReceive(batch)),
            ];
            rio.Send(random.Next(40));
            for (int spins = random.Next(2_000); spins > 0; spins--) Thread.SpinWait(10);
            rio.Dispose();
            await Task.WhenAll(calls);
        }

        RioModel.AssertRulesKept();
        ModelCounts counts = WinsockModel.Read();
        Assert.True(counts.RioAborted > 0, "No request was outstanding at a close.");
    }

    private static Task UseUntilClosed(UdpSocket socket, Func<UdpSocket, ReceiveBatch, ReceiveStatus> receive) =>
        Task.Factory.StartNew(
            () =>
            {
                using ReceiveBatch batch = socket.CreateReceiveBatch(new() { SlotCount = 5 });
                while (receive(socket, batch) != ReceiveStatus.Closed)
                {
                }
            },
            TaskCreationOptions.LongRunning);
}
