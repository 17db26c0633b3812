using System.Net;
using System.Net.Sockets;
using Spate.Sockets;
using Spate.Sockets.Uring;
using Spate.TestHelpers.Diagnostics;
using Spate.Tests.Sockets;
using Spate.Tests.Sockets.Uring;

namespace Spate.Tests.Waiting;

/// <summary>Closing a socket whose calls are awaited, at moments that chance seldom hits.</summary>
public sealed class AwaitedCloseTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    // What a ring has mapped is gone once the socket is closed: a look at it then ends the process.
    [Theory]
    [InlineData(UdpBackend.Uring)]
    [InlineData(UdpBackend.Winsock)]
    [InlineData(UdpBackend.Mmsg)]
    [InlineData(UdpBackend.Portable)]
    public async Task ReceiveAsync_ClosedAsTheNextEventIsRequested_CloseWaitsAndItEndsAsClosed(UdpBackend kind)
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        int starter = Environment.CurrentManagedThreadId;
        using ManualResetEventSlim stopped = new();
        using ManualResetEventSlim goOn = new();
        TaskCompletionSource<Exception?> asked = new(TaskCreationOptions.RunContinuationsAsynchronously);
        UdpSocket socket = Open(kind);
        socket.Pending.Threads = WrappedEventSet.Threads(Request);
        using ReceiveBatch first = socket.CreateReceiveBatch();
        using ReceiveBatch second = socket.CreateReceiveBatch();
        using ReceiveBatch third = socket.CreateReceiveBatch();

        // The first one takes the datagram; for the second one the event thread has to ask again.
        Task<ReceiveStatus> served = socket.ReceiveAsync(first, stop).AsTask();
        Task<ReceiveStatus> waiting = socket.ReceiveAsync(second, stop).AsTask();
        socket.SendTo([1], socket.LocalEndPoint);
        Assert.True(stopped.Wait(Patience, stop), "The next event is not requested.");
        var closer = new Thread(socket.Dispose) { IsBackground = true };
        closer.Start();
        Wait.Until(() => socket.TryReceive(third) == ReceiveStatus.Closed);
        Assert.False(socket.SafeHandle.IsClosed);
        goOn.Set();

        Assert.True(closer.Join(Patience), "Dispose does not end.");
        Assert.Null(await asked.Task.WaitAsync(Patience, stop));
        Assert.Equal(ReceiveStatus.Received, await served.WaitAsync(Patience, stop));
        Assert.Equal(ReceiveStatus.Closed, await waiting.WaitAsync(Patience, stop));

        void Request(Action inner)
        {
            if (Environment.CurrentManagedThreadId == starter)
            {
                inner();
                return;
            }

            stopped.Set();
            goOn.Wait();
            asked.TrySetResult(Record.Exception(inner));
        }
    }

    [Fact]
    public async Task ReceiveAsync_EventCannotBeRequested_EndsAllThatWaitWithTheFault()
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        int left = 1;
        using UdpSocket socket = Open(UdpBackend.Portable);
        socket.Pending.Threads = WrappedEventSet.Threads(request =>
        {
            if (left-- <= 0) throw new IOException("refused");
            request();
        });
        using ReceiveBatch batch = socket.CreateReceiveBatch();

        Task first = socket.WaitReadableAsync(stop).AsTask();
        Task second = socket.ReceiveAsync(batch, stop).AsTask();

        Assert.Equal("refused", (await Assert.ThrowsAsync<IOException>(() => second)).Message);
        Assert.Equal("refused", (await Assert.ThrowsAsync<IOException>(() => first)).Message);
    }

    [Theory]
    [InlineData(UdpBackend.Uring)]
    [InlineData(UdpBackend.Winsock)]
    [InlineData(UdpBackend.Mmsg)]
    [InlineData(UdpBackend.Portable)]
    public async Task Dispose_BackendCloseThrows_IsReportedAndTheSocketIsClosedForEveryone(UdpBackend kind)
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        string message = $"injected into {kind}";
        using SpateEvents events = new();
        UdpSocket socket = Open(kind, afterClose: () => throw new InvalidOperationException(message));
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        Task<ReceiveStatus> waiting = socket.ReceiveAsync(batch, stop).AsTask();

        socket.Dispose();

        AssertReported(events, message);
        Assert.True(socket.SafeHandle.IsClosed);
        Assert.Equal(ReceiveStatus.Closed, await waiting.WaitAsync(Patience, stop));
        await Task.Run(socket.Dispose, stop).WaitAsync(Patience, stop);
    }

    [Theory]
    [InlineData(UdpBackend.Uring)]
    [InlineData(UdpBackend.Winsock)]
    [InlineData(UdpBackend.Mmsg)]
    [InlineData(UdpBackend.Portable)]
    public async Task Dispose_ContinuationThrows_IsReportedAndTheOthersEnd(UdpBackend kind)
    {
        foreach (bool awaited in new[] { false, true }) await CloseWithThrowingContinuationAsync(kind, awaited);
    }

    private static async Task CloseWithThrowingContinuationAsync(UdpBackend kind, bool awaited)
    {
        string message = $"of a continuation, {kind}, {awaited}";
        using SpateEvents events = new();
        UdpSocket socket = Open(kind, options: new UdpSocketOptions { AllowSynchronousContinuations = true });
        int ended = 0;
        for (int i = 0; i < 4; i++)
        {
            bool throws = i == 0;
            GoOnWith(socket.WaitReadableAsync(TestContext.Current.CancellationToken), () =>
            {
                ended++;
                if (throws) throw new InvalidOperationException(message);
            });
        }

        if (awaited) await socket.DisposeAsync();
        else socket.Dispose();

        AssertReported(events, message);
        Assert.Equal(4, ended);
        Assert.True(socket.SafeHandle.IsClosed);
    }

    [Fact]
    public async Task DisposeAsync_CallStillInside_ReturnsBeforeTheCallHasLeft()
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        using ManualResetEventSlim inside = new();
        using ManualResetEventSlim goOn = new();
        UdpSocket socket = Open(UdpBackend.Portable, afterReceive: () =>
        {
            inside.Set();
            goOn.Wait(Patience, stop);
        });
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        var receiver = new Thread(() => socket.TryReceive(batch)) { IsBackground = true };
        receiver.Start();
        Assert.True(inside.Wait(Patience, stop));

        Task closing = socket.DisposeAsync().AsTask();
        Task second = socket.DisposeAsync().AsTask();

        Assert.False(closing.IsCompleted);
        Assert.False(second.IsCompleted);
        Assert.False(socket.SafeHandle.IsClosed);
        goOn.Set();
        await Task.WhenAll(closing, second).WaitAsync(Patience, stop);
        Assert.True(socket.SafeHandle.IsClosed);
        Assert.True(receiver.Join(Patience));
    }

    [Fact]
    public async Task DisposeAsync_InlineContinuationBlocks_ReturnsBeforeItHasEnded()
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        using ManualResetEventSlim goOn = new();
        UdpSocket socket = Open(
            UdpBackend.Portable, options: new UdpSocketOptions { AllowSynchronousContinuations = true });
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        GoOnWith(socket.ReceiveAsync(batch, stop), () => goOn.Wait(Patience, stop));

        Task closing = socket.DisposeAsync().AsTask();

        Assert.False(closing.IsCompleted);
        goOn.Set();
        await closing.WaitAsync(Patience, stop);
        Assert.True(socket.SafeHandle.IsClosed);
    }

    private static void AssertReported(SpateEvents events, string message) => Assert.Contains(
        events.Written,
        written => written.Name is "CloseFaulted" && written.Payload[1] is string text
            && string.Equals(text, message, StringComparison.Ordinal));

    private static void GoOnWith<T>(ValueTask<T> task, Action continuation) =>
        task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(continuation);

    private static UdpSocket Open(
        UdpBackend kind, UdpSocketOptions? options = null, Action? afterReceive = null, Action? afterClose = null)
    {
        UdpCapabilities capabilities = UdpCapabilities.Current;
        Assert.SkipUnless(kind != UdpBackend.Mmsg || capabilities.Mmsg.IsAvailable, capabilities.Mmsg.Reason);
        Assert.SkipUnless(kind != UdpBackend.Uring || capabilities.Uring.IsAvailable, capabilities.Uring.Reason);
        Assert.SkipUnless(kind != UdpBackend.Winsock || capabilities.Winsock.IsAvailable, capabilities.Winsock.Reason);
        options ??= new UdpSocketOptions();
        Socket socket = SocketSetup.Open(AddressFamily.InterNetwork, options);
        SocketSetup.Apply(socket, options);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, options, default);
        BackendPair pair = BackendSelector.Open(kind, context);
        Receiver receiver = new WrappedReceiver(
            context, pair.Receiver, afterReceive ?? (static () => { }), afterClose ?? (static () => { }));
        return new UdpSocket(context, pair with { Receiver = receiver });
    }

    [Fact]
    public async Task Dispose_SystemRefusedToWaitForTheSocket_ClosesIt()
    {
        using var ring = new RingSocket(UringShape.For(coalesced: false));
        using ReceiveBatch batch = ring.Socket.CreateReceiveBatch();
        ring.Socket.Pending.Threads = WrappedEventSet.Threads(
            static request => request(),
            static () => throw new SocketException((int)SocketError.NoBufferSpaceAvailable));
        await Assert.ThrowsAsync<SocketException>(
            () => ring.Socket.ReceiveAsync(batch, TestContext.Current.CancellationToken).AsTask());

        ring.Socket.Dispose();

        Assert.Equal(ReceiveStatus.Closed, ring.Socket.TryReceive(batch));
    }
}
