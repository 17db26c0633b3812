using Spate.Tests.Waiting;
using Spate.Waiting;

namespace Spate.Tests;

public sealed class UdpPollerTests
{
    private const int ThreadCount = 3;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    [Theory]
    [InlineData(UdpBackend.Mmsg, false)]
    [InlineData(UdpBackend.Winsock, false)]
    [InlineData(UdpBackend.Portable, false)]
    [InlineData(UdpBackend.Portable, true)]
    public void Poll_ThreadsAndSockets_ExactCountsInOrderNeverTwoAtOnce(UdpBackend backend, bool isPortable)
    {
        const int socketCount = 40, roundCount = 25, perRound = 10;
        using var sockets = new PolledSockets(socketCount, backend, Source(isPortable));
        Thread[] threads = [.. Enumerable.Range(0, ThreadCount).Select(_ => Start(sockets, sockets.Handle))];
        for (int round = 0; round < roundCount; round++)
        {
            for (int i = 0; i < socketCount; i++) sockets.Send(i, perRound);
        }

        Assert.True(
            SpinWait.SpinUntil(() => sockets.HandledCount == socketCount * roundCount * perRound, Patience),
            $"{sockets.HandledCount} datagrams were handled.");
        sockets.Poller.Dispose();
        Assert.All(threads, thread => Assert.True(thread.Join(Patience)));
        Assert.All(sockets.Accounts, account =>
        {
            Assert.Equal(account.Sent, account.Handled);
            Assert.Equal(0, account.OverlapCount);
            Assert.Equal(0, account.DisorderCount);
        });
    }

    [Theory]
    [InlineData(UdpBackend.Mmsg, false)]
    [InlineData(UdpBackend.Winsock, false)]
    [InlineData(UdpBackend.Portable, true)]
    public void Poll_HandlerThrows_ExceptionArrivesAndNothingElseIsLost(UdpBackend backend, bool isPortable)
    {
        const int socketCount = 10, perSocket = 10;
        using var sockets = new PolledSockets(socketCount, backend, Source(isPortable));
        using ReceiveBatch batch = sockets.CreateBatch();
        for (int i = 0; i < socketCount; i++) sockets.Send(i, perSocket);
        int throwCount = 0;
        while (sockets.HandledCount < socketCount * perSocket)
        {
            try
            {
                PollStatus status = sockets.Poller.Poll(batch, HandleAndThrow, Patience);
                Assert.Equal(PollStatus.Received, status);
            }
            catch (FormatException)
            {
                throwCount++;
            }
        }

        Assert.InRange(throwCount, socketCount, socketCount * perSocket);
        Assert.All(sockets.Accounts, account => Assert.Equal(0, account.DisorderCount));

        void HandleAndThrow(UdpSocket socket, ReceiveBatch received, PolledSockets.Account account)
        {
            sockets.Handle(socket, received, account);
            throw new FormatException("thrown on purpose");
        }
    }

    [Theory]
    [InlineData(UdpBackend.Mmsg, false)]
    [InlineData(UdpBackend.Winsock, false)]
    [InlineData(UdpBackend.Portable, true)]
    public void Dispose_ThenTheBatchOfAThreadThatPolls_IsNotRefused(UdpBackend backend, bool isPortable)
    {
        const int roundCount = 200;
        for (int round = 0; round < roundCount; round++)
        {
            using var sockets = new PolledSockets(1, backend, Source(isPortable));
            ReceiveBatch batch = sockets.CreateBatch();
            var polling = new Thread(() => sockets.Poller.Poll(batch, sockets.Handle));
            polling.Start();

            // The batch of a thread that has not begun is refused, and rightly.
            Assert.True(SpinWait.SpinUntil(() => IsInUse(batch), Patience));
            SpinWait.SpinUntil(() => polling.ThreadState == ThreadState.WaitSleepJoin, TimeSpan.FromMilliseconds(1));

            sockets.Poller.Dispose();
            batch.Dispose();

            Assert.True(polling.Join(Patience));
        }
    }

    [Theory]
    [InlineData(UdpBackend.Mmsg, false)]
    [InlineData(UdpBackend.Winsock, false)]
    [InlineData(UdpBackend.Portable, true)]
    public void Poll_HandlerDisposesTheBatch_NothingHappensAndPollingGoesOn(UdpBackend backend, bool isPortable)
    {
        using var sockets = new PolledSockets(1, backend, Source(isPortable));
        ReceiveBatch batch = sockets.CreateBatch();
        int handled = 0;
        for (int round = 0; round < 3; round++)
        {
            sockets.Send(0, 1);
            PollStatus status = sockets.Poller.Poll(
                batch,
                (_, received, _) =>
                {
                    received.Dispose();
                    foreach (Datagram datagram in received) handled++;
                },
                Patience);
            Assert.Equal(PollStatus.Received, status);
        }

        Assert.Equal(3, handled);
        batch.Dispose();
        sockets.Send(0, 1);
        Assert.Throws<ObjectDisposedException>(() => sockets.Poller.Poll(batch, sockets.Handle, Patience));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Wake_ThreadsWait_EachReturnsOnce(bool isPortable)
    {
        using var sockets = new PolledSockets(1, UdpBackend.Portable, Source(isPortable));
        int returnCount = 0;
        Thread[] threads = [.. Enumerable.Range(0, ThreadCount).Select(_ => new Thread(() =>
        {
            using ReceiveBatch batch = sockets.CreateBatch();
            while (sockets.Poller.Poll(batch, sockets.Handle) == PollStatus.Woken)
                Interlocked.Increment(ref returnCount);
        }))];
        foreach (Thread thread in threads) thread.Start();

        for (int wakes = 1; wakes <= 50; wakes++)
        {
            sockets.Poller.Wake();
            int expected = wakes * ThreadCount;
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref returnCount) == expected, Patience));
        }

        sockets.Poller.Dispose();
        Assert.All(threads, thread => Assert.True(thread.Join(Patience)));
        Assert.Equal(50 * ThreadCount, returnCount);
    }

    [Fact]
    public void Poll_WokenOrOutOfTime_StatusShowsWhich()
    {
        using var sockets = new PolledSockets(1, UdpBackend.Portable, Source(isPortable: false));
        using ReceiveBatch batch = sockets.CreateBatch();
        using ReceiveBatch late = sockets.CreateBatch();
        Assert.Equal(PollStatus.TimedOut, sockets.Poller.Poll(batch, sockets.Handle, TimeSpan.Zero));

        sockets.Poller.Wake();
        sockets.Poller.Wake();

        // Two wakes end one poll of each batch, also of a batch that polls for the first time.
        Assert.Equal(PollStatus.Woken, sockets.Poller.Poll(batch, sockets.Handle, Patience));
        Assert.Equal(PollStatus.TimedOut, sockets.Poller.Poll(batch, sockets.Handle, TimeSpan.FromMilliseconds(1)));
        Assert.Equal(PollStatus.Woken, sockets.Poller.Poll(late, sockets.Handle, Patience));
    }

    [Fact]
    public void Poll_BatchOfAnotherPoller_ReportsEarlierWakesOnceMore()
    {
        using var sockets = new PolledSockets(1, UdpBackend.Portable, Source(isPortable: false));
        using var other = new UdpPoller<PolledSockets.Account>();
        using ReceiveBatch batch = sockets.CreateBatch();
        sockets.Poller.Wake();
        Assert.Equal(PollStatus.Woken, sockets.Poller.Poll(batch, sockets.Handle, TimeSpan.Zero));

        // A poll that the batch refuses changes nothing.
        batch.Slots.Use.Enter();
        Assert.Throws<InvalidOperationException>(() => other.Poll(batch, sockets.Handle, TimeSpan.Zero));
        batch.Slots.Leave();
        Assert.Equal(PollStatus.TimedOut, sockets.Poller.Poll(batch, sockets.Handle, TimeSpan.Zero));

        Assert.Equal(PollStatus.TimedOut, other.Poll(batch, sockets.Handle, TimeSpan.Zero));
        Assert.Equal(PollStatus.Woken, sockets.Poller.Poll(batch, sockets.Handle, TimeSpan.Zero));
    }

    [Theory]
    [InlineData(UdpBackend.Mmsg, false)]
    [InlineData(UdpBackend.Winsock, false)]
    [InlineData(UdpBackend.Portable, true)]
    public void Close_UnderLoad_NobodyHangsAndOthersGoOn(UdpBackend backend, bool isPortable)
    {
        const int socketCount = 60;
        using var sockets = new PolledSockets(socketCount, backend, Source(isPortable));
        Thread[] threads = [.. Enumerable.Range(0, ThreadCount).Select(_ => Start(sockets, sockets.Handle))];
        for (int i = 0; i < socketCount; i += 2)
        {
            sockets.Send(i, 20);
            sockets.Sockets[i].Dispose();

            // It gets the descriptor that has just become free.
            using UdpSocket next = UdpSocket.Bind(UdpEndPoint.Loopback(0), new() { Backend = backend });
            sockets.Send(i + 1, 20);
        }

        int[] open = [.. Enumerable.Range(0, socketCount).Where(i => i % 2 == 1)];
        Assert.True(
            SpinWait.SpinUntil(() => open.All(i => sockets.Accounts[i].Handled == 20), Patience),
            "A socket that is open was not heard.");
        Assert.All(open, i => Assert.Equal(0, sockets.Accounts[i].DisorderCount));
        sockets.Poller.Dispose();
        Assert.All(threads, thread => Assert.True(thread.Join(Patience)));
    }

    [Fact]
    public void Remove_ThenAddElsewhere_DatagramsGoThere()
    {
        using var sockets = new PolledSockets(2, UdpBackend.Portable, Source(isPortable: false));
        using var other = new UdpPoller<PolledSockets.Account>();
        using ReceiveBatch batch = sockets.CreateBatch();
        Assert.Throws<InvalidOperationException>(() => other.Add(sockets.Sockets[0], sockets.Accounts[0]));
        Assert.False(other.Remove(sockets.Sockets[0]));
        Assert.True(sockets.Poller.Remove(sockets.Sockets[0]));
        Assert.False(sockets.Poller.Remove(sockets.Sockets[0]));
        sockets.Send(0, 3);
        Assert.Equal(PollStatus.TimedOut, sockets.Poller.Poll(batch, sockets.Handle, TimeSpan.Zero));

        other.Add(sockets.Sockets[0], sockets.Accounts[0]);

        Assert.Equal(PollStatus.Received, other.Poll(batch, sockets.Handle, Patience));
        Assert.Equal(3, sockets.Accounts[0].Handled);
    }

    [Fact]
    public void Dispose_InsideHandler_PollsEndAndSocketsStayOpen()
    {
        using var sockets = new PolledSockets(2, UdpBackend.Portable, Source(isPortable: false));
        using ReceiveBatch batch = sockets.CreateBatch();
        sockets.Send(0, 1);

        sockets.Poller.Poll(batch, (_, _, _) => sockets.Poller.Dispose());

        Assert.Equal(PollStatus.Closed, sockets.Poller.Poll(batch, sockets.Handle));
        Assert.Throws<ObjectDisposedException>(() => sockets.Poller.Add(sockets.Sockets[0], sockets.Accounts[0]));
        sockets.Send(1, 1);
        Assert.Equal(ReceiveStatus.Received, sockets.Sockets[1].Receive(batch, Patience));
    }

    [Fact]
    public void Poll_BatchInUseByAnotherPoll_IsRefused()
    {
        using var sockets = new PolledSockets(1, UdpBackend.Portable, Source(isPortable: false));
        using ReceiveBatch batch = sockets.CreateBatch();
        sockets.Send(0, 1);
        Exception? fault = null;

        sockets.Poller.Poll(
            batch,
            (_, received, _) => fault = Record.Exception(() => sockets.Poller.Poll(received, sockets.Handle)));

        Assert.IsType<InvalidOperationException>(fault);
    }

    private static PollSource Source(bool isPortable) => new(EventSocket.CreateSet(isPortable, isShared: true));

    private static bool IsInUse(ReceiveBatch batch)
    {
        try
        {
            batch.Slots.Use.RequireFree();
            return false;
        }
        catch (InvalidOperationException)
        {
            return true;
        }
    }

    private static Thread Start(PolledSockets sockets, UdpPollHandler<PolledSockets.Account> handler)
    {
        var thread = new Thread(() =>
        {
            using ReceiveBatch batch = sockets.CreateBatch();
            while (sockets.Poller.Poll(batch, handler) != PollStatus.Closed)
            {
            }
        })
        { IsBackground = true };
        thread.Start();
        return thread;
    }

    [Fact]
    public void Add_SocketHoldsStagedDatagrams_TheyAreReceived()
    {
        UdpCapability coalesced = UdpCapabilities.Current.CoalescedReceive;
        Assert.SkipUnless(coalesced.IsAvailable, coalesced.Reason);
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        for (int i = 0; i < 3; i++) sender.SendTo(new byte[100], socket.LocalEndPoint);
        Assert.Equal(ReceiveStatus.Received, socket.ReceiveFrom(new byte[100], Patience, out _));
        Assert.True(socket.Singles!.HasStaged);
        using var poller = new UdpPoller<int>();
        poller.Add(socket, 0);
        int count = 0;

        PollStatus status = poller.Poll(batch, (_, received, _) => count += received.Count, Patience);

        Assert.Equal((PollStatus.Received, 2), (status, count));
    }
}
