using System.Collections.Concurrent;
using System.Net.Sockets;

namespace Spate.Tests.Sockets.Uring;

/// <summary>
/// What must hold on a ring whatever its threads do: nobody waits in vain, and Close gives the port back.
/// </summary>
public sealed class UringLivenessTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public UringLivenessTests()
    {
        UdpCapability uring = UdpCapabilities.Current.Uring;
        Assert.SkipUnless(uring.IsAvailable, uring.Reason);
    }

    // A receive of no bytes ends the kernel's request (io_recvmsg_multishot), so the call that takes it must arm again.
    [Fact]
    public void Receive_AnotherThreadTookTheLastCompletion_StillWakes()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0), new() { Backend = UdpBackend.Uring });
        using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using CountdownEvent received = new(2);
        ConcurrentQueue<string> waiters = [];
        for (int i = 0; i < 2; i++) new Thread(ReceiveOnce) { IsBackground = true }.Start();
        Assert.True(SpinWait.SpinUntil(() => waiters.Count(IsInPoll) == 2, Patience), "The two do not wait.");

        sender.SendTo([], socket.LocalEndPoint);
        Assert.True(SpinWait.SpinUntil(() => received.CurrentCount == 1, Patience), "Neither has received.");
        sender.SendTo([1], socket.LocalEndPoint);

        Assert.True(received.Wait(Patience, TestContext.Current.CancellationToken), "The second thread waits in vain.");

        void ReceiveOnce()
        {
            // The link reads process/task/thread.
            waiters.Enqueue(new FileInfo("/proc/thread-self").LinkTarget!);
            using ReceiveBatch batch = socket.CreateReceiveBatch();
            if (socket.Receive(batch) == ReceiveStatus.Received) received.Signal();
        }

        // The number of the call that the thread sleeps in (proc_pid_syscall.5): poll of x86-64, or ppoll of arm64.
        static bool IsInPoll(string thread) =>
            File.ReadAllText($"/proc/{thread}/syscall").Split(' ')[0] is "7" or "73";
    }

    [Fact]
    public void Receive_ByTheSuccessorOfTheReceivingThread_IsRefusedAtOnce()
    {
        using UdpSocket socket = UdpSocket.Bind(
            UdpEndPoint.Loopback(0), new() { Backend = UdpBackend.Uring, SingleReader = true });
        Exception? fault = null;
        int refused = 0;
        for (int i = 0; i < 20; i++)
        {
            // Numbers of managed threads are given again, so the owner must not be known by its number.
            Thread thread = new(() =>
            {
                using ReceiveBatch batch = socket.CreateReceiveBatch();
                try
                {
                    socket.Receive(batch, TimeSpan.FromMilliseconds(20));
                }
                catch (InvalidOperationException)
                {
                    refused++;
                }
                catch (Exception other)
                {
                    fault = other;
                }
            });
            thread.Start();
            Assert.True(thread.Join(Patience), "A receive that was to last 20 ms does not end.");
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.Null(fault);
        Assert.Equal(19, refused);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Receive_ManyBatchesNotReceivedIntoAgain_StillReceives(bool forgotten)
    {
        using UdpSocket socket = UdpSocket.Bind(
            UdpEndPoint.Loopback(0), new() { Backend = UdpBackend.Uring, CoalescedReceive = false });
        using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        List<ReceiveBatch> kept = [];
        const int total = 6400;
        long before = GC.GetTotalMemory(forceFullCollection: true);
        int got = 0;
        while (got < total)
        {
            for (int i = 0; i < 64; i++) sender.SendTo([1], socket.LocalEndPoint);
            for (int rest = 64; rest > 0;)
            {
                // Never disposed, as by a program that forgets, or kept for later work.
                ReceiveBatch batch = socket.CreateReceiveBatch();
                ReceiveStatus status = socket.Receive(batch, Patience);
                Assert.True(status == ReceiveStatus.Received, $"{status} after {got} datagrams.");
                rest -= batch.Count;
                got += batch.Count;
                if (!forgotten) kept.Add(batch);
            }

            if (forgotten && got % 640 == 0) GC.Collect();
        }

        TestContext.Current.TestOutputHelper!.WriteLine(
            $"{(GC.GetTotalMemory(forceFullCollection: true) - before) >> 20} MiB more, {kept.Count} batches kept");
        GC.KeepAlive(kept);
    }

    [Fact]
    public void Bind_IdleSockets_HoldNoBuffers()
    {
        // Of this thread, since tests beside it fill the heap too; what it holds was allocated.
        long before = GC.GetAllocatedBytesForCurrentThread();
        List<UdpSocket> sockets = [];
        for (int i = 0; i < 100; i++)
        {
            sockets.Add(UdpSocket.Bind(
                UdpEndPoint.Loopback(0), new() { Backend = UdpBackend.Uring, CoalescedReceive = false }));
        }

        long each = (GC.GetAllocatedBytesForCurrentThread() - before) / 100;
        sockets.ForEach(one => one.Dispose());
        Assert.True(each < 1 << 20, $"{each >> 10} KiB of managed memory per idle socket");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Dispose_ByAnotherThreadWhileTheReceiverIsOutside_FreesThePort(bool oneThread)
    {
        int busy = 0;
        UdpEndPoint local = OwnAddress.New();
        for (int round = 0; round < 200; round++)
        {
            UdpSocket socket = UdpSocket.Bind(
                local, new() { Backend = UdpBackend.Uring, SingleReader = oneThread });
            using ManualResetEventSlim armed = new();
            using ManualResetEventSlim leave = new();
            Thread receiver = new(() =>
            {
                using ReceiveBatch batch = socket.CreateReceiveBatch();
                socket.TryReceive(batch);
                armed.Set();
                leave.Wait();
            });
            receiver.Start();
            armed.Wait(TestContext.Current.CancellationToken);
            socket.Dispose();
            try
            {
                using UdpSocket again = UdpSocket.Bind(local, new() { Backend = UdpBackend.Mmsg });
            }
            catch (SocketException)
            {
                busy++;
            }

            leave.Set();
            receiver.Join();
            while (true)
            {
                try
                {
                    using UdpSocket again = UdpSocket.Bind(local, new() { Backend = UdpBackend.Mmsg });
                    break;
                }
                catch (SocketException)
                {
                    Thread.Yield();
                }
            }
        }

        Assert.True(busy == 0, $"After {busy} of 200 closes the port was still taken.");
    }
}
