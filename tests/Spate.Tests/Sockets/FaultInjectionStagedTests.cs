namespace Spate.Tests.Sockets;

/// <summary>Single and batch receives of one socket, stopped at the moment that matters.</summary>
public sealed class FaultInjectionStagedTests
{
    [Theory]
    [InlineData(-1)]
    [InlineData(20_000)]
    public void Receive_SingleReceiveComesBeforeItWaits_GetsItsDatagrams(int timeoutMilliseconds)
    {
        var faults = new FaultSchedule();
        using UdpSocket socket = FaultySocket.Bind(faults, coalesced: true);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        using var entered = new ManualResetEventSlim();
        using var released = new ManualResetEventSlim();
        ReceiveStatus many = ReceiveStatus.TimedOut, one = ReceiveStatus.TimedOut;
        var batchThread = new Thread(
            () => many = socket.Receive(batch, TimeSpan.FromMilliseconds(timeoutMilliseconds)))
        { IsBackground = true };
        var oneThread = new Thread(() => one = socket.ReceiveFrom(new byte[100], out _)) { IsBackground = true };
        faults.Before = kind =>
        {
            if (kind != CallKind.ReceiveMany || Thread.CurrentThread != batchThread) return;
            entered.Set();
            released.Wait(FaultySocket.Patience);
        };

        // The batch call is about to ask the kernel when a single one comes, to which all datagrams could go.
        batchThread.Start();
        Assert.True(entered.Wait(FaultySocket.Patience, TestContext.Current.CancellationToken));
        FaultySocket.SendNumbered(socket.LocalEndPoint, 3);
        oneThread.Start();
        Assert.True(SpinWait.SpinUntil(IsOverOrWaits, FaultySocket.Patience));
        released.Set();

        Assert.True(batchThread.Join(FaultySocket.Patience), "The batch call was not woken.");
        FaultySocket.SendNumbered(socket.LocalEndPoint, 1);
        Assert.True(oneThread.Join(FaultySocket.Patience), "The single call was not woken.");
        Assert.Equal((ReceiveStatus.Received, ReceiveStatus.Received), (many, one));

        bool IsOverOrWaits() => !oneThread.IsAlive || oneThread.ThreadState.HasFlag(ThreadState.WaitSleepJoin);
    }

    [Fact]
    public void Receive_BatchInTheLineIsDisposed_TheOthersAreStillWoken()
    {
        UdpSocket socket = FaultySocket.Bind(new FaultSchedule(), coalesced: true);
        ReceiveBatch disposed = socket.CreateReceiveBatch();
        disposed.Dispose();
        Exception? thrown = null;
        var leader = new Thread(() => socket.ReceiveFrom(new byte[100], TimeSpan.FromSeconds(1), out _));
        var second = new Thread(() => thrown = Record.Exception(() => socket.Receive(disposed)));
        var third = new Thread(() => socket.ReceiveFrom(new byte[100], out _));
        foreach (Thread thread in new[] { leader, second, third })
        {
            // Each is in the line before the next one comes; a leader that is through already changes nothing.
            thread.IsBackground = true;
            thread.Start();
            SpinWait.SpinUntil(
                () => !thread.IsAlive || thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin),
                TimeSpan.FromMilliseconds(200));
        }

        Assert.True(leader.Join(FaultySocket.Patience));
        Assert.True(second.Join(FaultySocket.Patience));
        FaultySocket.SendNumbered(socket.LocalEndPoint, 1);

        Assert.True(third.Join(FaultySocket.Patience), "The third call was not woken.");
        Assert.IsType<ObjectDisposedException>(thrown);
        socket.Dispose();
    }

    [Fact]
    public void Receive_NoSingleReceiver_IsOneCall()
    {
        var faults = new FaultSchedule();
        using UdpSocket socket = FaultySocket.Bind(faults, coalesced: true);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        for (int i = 1; i <= 3; i++)
        {
            FaultySocket.SendNumbered(socket.LocalEndPoint, 1);

            Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));

            Assert.Equal((i, 0), (faults.CountOf(CallKind.ReceiveMany), faults.CountOf(CallKind.Poll)));
        }
    }

    [Fact]
    public void Receive_AfterTheStagedAreTaken_IsOneCallAgain()
    {
        var faults = new FaultSchedule();
        using UdpSocket socket = FaultySocket.Bind(faults, coalesced: true);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        FaultySocket.SendNumbered(socket.LocalEndPoint, 3);
        Assert.Equal(ReceiveStatus.Received, socket.ReceiveFrom(new byte[100], out _));
        Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));
        Assert.Equal(2, batch.Count);
        long calls = faults.CountOf(CallKind.ReceiveMany);
        for (int i = 1; i <= 3; i++)
        {
            FaultySocket.SendNumbered(socket.LocalEndPoint, 1);

            Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));

            Assert.Equal((calls + i, 0L), (faults.CountOf(CallKind.ReceiveMany), faults.CountOf(CallKind.Poll)));
        }

        Assert.True(socket.Singles!.IsDirect);
    }
}
