using Spate.Serving;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>Servers that are disposed on their own threads, and handlers that are disposed with them.</summary>
public sealed class ServerDisposeTests
{
    public static TheoryData<UdpServerDesign, bool> DesignsAndForms =>
        [.. ServerCase.EveryDesign.SelectMany(row => new[] { (row.Data, false), (row.Data, true) })];

    [Theory, MemberData(nameof(DesignsAndForms))]
    public async Task Handler_DisposesItsServer_TheServerStopsWithoutAFault(UdpServerDesign design, bool awaited)
    {
        TaskCompletionSource<UdpServer> made = new(TaskCreationOptions.RunContinuationsAsynchronously);
        UdpServer server = UdpServer.Start(
            Options(design, ServerCase.ThreadCountOf(design)),
            _ => new TestHandler { Datagrams = (_, _) => DisposeHere(made.Task.GetAwaiter().GetResult(), awaited) });
        made.SetResult(server);
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);

        client.Send([1]);

        await server.Completion.WaitAsync(ServerCase.Patience, ServerCase.Cancellation);
        UdpServerStatistics statistics = server.GetStatistics();
        Assert.Equal(0, statistics.Threads.Sum(thread => thread.HandlerFaults));
        Assert.Equal(1, statistics.Handled);
        Assert.Empty(statistics.StuckShards);
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task OnStop_DisposesItsServer_TheStopEnds(bool awaited)
    {
        TaskCompletionSource<UdpServer> made = new(TaskCreationOptions.RunContinuationsAsynchronously);
        UdpServer server = UdpServer.Start(Options(UdpServerDesign.Sharded, 1), _ => new TestHandler
        {
            Stop = _ => DisposeHere(made.Task.GetAwaiter().GetResult(), awaited),
            Disposed = () => DisposeHere(made.Task.GetAwaiter().GetResult(), awaited),
        });
        made.SetResult(server);

        UdpServerStatistics statistics = await server.StopAsync(ServerCase.Cancellation);

        Assert.Empty(statistics.StuckShards);
        Assert.True(server.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task RunAsync_NoThreadCanStart_RunsOnThePool()
    {
        bool wasOnPool = false;

        await UdpServer.RunAsync(() => wasOnPool = Thread.CurrentThread.IsThreadPoolThread, new NoThreads());

        Assert.True(wasOnPool);
    }

    [Theory, MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public async Task StopAsync_HandlerHasBothDisposes_TheAsynchronousOneEndsOnItsThread(UdpServerDesign design)
    {
        BothHandler? handler = null;
        UdpServer server = UdpServer.Start(Options(design, 1), _ => handler = new BothHandler());

        await server.StopAsync(ServerCase.Cancellation);

        Assert.Equal(["stop", "asynchronous", "ended"], handler!.Calls);
        Assert.Equal(handler.MadeBy, handler.DisposedBy);
    }

    [Fact]
    public async Task StopAsync_AsynchronousDisposeThrows_IsCountedAsAFaultOfTheHandler()
    {
        UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.Sharded, 1), _ => new BothHandler { Fault = new FormatException("Dispose.") });

        UdpServerStatistics statistics = await server.StopAsync(ServerCase.Cancellation);

        Assert.Equal(1, statistics.Threads.Sum(thread => thread.HandlerFaults));
        Assert.True(server.Completion.IsCompletedSuccessfully);
    }

    private static UdpServerOptions Options(UdpServerDesign design, int threadCount) =>
        new() { LocalEndPoints = [UdpEndPoint.Loopback(0)], Design = design, ThreadCount = threadCount };

    // Blocks, as a handler can only do: it has no method to await in.
    private static void DisposeHere(UdpServer server, bool awaited)
    {
        if (awaited) server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        else server.Dispose();
    }

    private sealed class BothHandler : UdpHandler, IDisposable, IAsyncDisposable
    {
        public int MadeBy { get; } = Environment.CurrentManagedThreadId;

        public int DisposedBy { get; private set; }

        public List<string> Calls { get; } = [];

        public Exception? Fault { get; init; }

        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
        }

        public override void OnStop(SendBatch replies) => Calls.Add("stop");

        public void Dispose() => Calls.Add("synchronous");

        public async ValueTask DisposeAsync()
        {
            DisposedBy = Environment.CurrentManagedThreadId;
            Calls.Add("asynchronous");
            await Task.Yield();
            if (Fault is not null) throw Fault;
            Calls.Add("ended");
        }
    }

    private sealed class NoThreads : TaskScheduler
    {
        protected override void QueueTask(Task task) => throw new InvalidOperationException("No thread.");

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

        protected override IEnumerable<Task> GetScheduledTasks() => [];
    }
}
