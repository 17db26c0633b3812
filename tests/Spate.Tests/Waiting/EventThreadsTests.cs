using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>The threads of all awaited calls: how sockets are spread over them, and a thread that blocks.</summary>
public sealed class EventThreadsTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    public static TheoryData<bool> Forms => EventSocket.Forms;

    [Fact]
    public void Next_MoreSocketsThanThreads_InTurnAndStartedWhenNeeded()
    {
        int startedCount = 0;
        EventThreads threads = new(2, () =>
        {
            startedCount++;
            return EventSet.Create(isShared: false);
        });

        EventThread first = threads.Next();
        Assert.Equal(1, startedCount);
        EventThread second = threads.Next();

        Assert.NotSame(first, second);
        Assert.Same(first, threads.Next());
        Assert.Same(second, threads.Next());
        Assert.Equal(2, startedCount);
    }

    [Fact]
    public void Next_SetRefused_TriedAgain()
    {
        int triedCount = 0;
        EventThreads threads = new(2, () => ++triedCount == 1
            ? throw new IOException("refused")
            : EventSet.Create(isShared: false));

        Assert.Throws<IOException>(threads.Next);
        EventThread first = threads.Next();

        Assert.NotSame(first, threads.Next());
        Assert.Equal(3, triedCount);
    }

    [Theory, MemberData(nameof(Forms))]
    public async Task InlineContinuation_Blocks_SocketsOfOtherThreadsGoOn(bool isPortable)
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        EventThreads threads = new(2, () => EventSocket.CreateSet(isPortable));
        using UdpSocket blocked = Bind(threads);
        using UdpSocket other = Bind(threads);
        using UdpSocket third = Bind(threads);
        using ManualResetEventSlim isBlocked = new();
        using ManualResetEventSlim goOn = new();
        List<string> ended = [];
        GoOnWith(blocked.WaitReadableAsync(stop), () =>
        {
            isBlocked.Set();
            goOn.Wait(Patience, stop);
            lock (ended) ended.Add("blocked");
        });
        Task<bool> otherWait = other.WaitReadableAsync(stop).AsTask();
        Task thirdWait = third.WaitReadableAsync(stop).AsTask().ContinueWith(
            _ =>
            {
                lock (ended) ended.Add("third");
            },
            stop, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);

        blocked.SendTo([1], blocked.LocalEndPoint);
        Assert.True(isBlocked.Wait(Patience, stop));
        third.SendTo([1], third.LocalEndPoint);
        other.SendTo([1], other.LocalEndPoint);

        Assert.True(await otherWait.WaitAsync(Patience, stop));
        goOn.Set();
        await thirdWait.WaitAsync(Patience, stop);
        await Task.Yield();

        // The third socket has the thread of the first, which held it up.
        Assert.Equal(["blocked", "third"], ended);
    }

    [Theory, MemberData(nameof(Forms))]
    public async Task ReceiveFromAsync_ManySocketsAtOnce_EveryDatagramComes(bool isPortable)
    {
        const int socketCount = 20, roundCount = 50;
        CancellationToken stop = TestContext.Current.CancellationToken;
        EventThreads threads = new(3, () => EventSocket.CreateSet(isPortable));
        UdpSocket[] sockets = [.. Enumerable.Range(0, socketCount).Select(_ => Bind(threads))];

        await Task.WhenAll(sockets.Select(Exchange)).WaitAsync(Patience, stop);

        Array.ForEach(sockets, static socket => socket.Dispose());

        async Task Exchange(UdpSocket socket)
        {
            byte[] buffer = new byte[10];
            for (int i = 0; i < roundCount; i++)
            {
                ValueTask<ReceivedDatagram> receiving = socket.ReceiveFromAsync(buffer, stop);
                socket.SendTo([(byte)i], socket.LocalEndPoint);
                Assert.Equal(1, (await receiving.ConfigureAwait(false)).Length);
                Assert.Equal(i, buffer[0]);
            }
        }
    }

    private static void GoOnWith(ValueTask<bool> task, Action continuation) =>
        task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(continuation);

    private static UdpSocket Bind(EventThreads threads)
    {
        UdpSocketOptions options = new() { AllowSynchronousContinuations = true, Backend = UdpBackend.Portable };
        UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0), options);
        socket.Pending.Threads = threads;
        return socket;
    }
}
