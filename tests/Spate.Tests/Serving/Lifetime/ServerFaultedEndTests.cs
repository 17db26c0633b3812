using Spate.Serving;
using Spate.Tests.Diagnostics;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>A stop that meets a fault ends alike, whichever call it was.</summary>
public sealed class ServerFaultedEndTests
{
    [Fact]
    public async Task Dispose_ClosingTheFirstSocketThrows_TheOthersAreClosedAndCompletionFaults()
    {
        UdpServer server = UdpServer.Start(OneThread(socketCount: 2), TestHandler.Echo);
        UdpSocket[] sockets = server.Sockets.First;
        GoOnWith(
            sockets[0].ReceiveFromAsync(new byte[1], ServerCase.Cancellation),
            static () => throw new FormatException("of a continuation"));

        server.Dispose();

        await Assert.ThrowsAsync<FormatException>(() => server.Completion);
        using ReceiveBatch batch = sockets[1].CreateReceiveBatch();
        Assert.Equal(ReceiveStatus.Closed, sockets[1].TryReceive(batch));
    }

    [Fact]
    public async Task StopAsync_ClosingASocketOfAShardThrows_TheOthersAreClosedAndWhatTheyHadIsCounted()
    {
        const int queuedCount = 5;
        using var stuck = new Signal();
        using var release = new Signal();
        UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0), UdpEndPoint.Loopback(0)],
                ThreadCount = 1,
                Socket = new UdpSocketOptions { Backend = UdpBackend.Portable, AllowSynchronousContinuations = true },
            },
            _ => new TestHandler
            {
                Datagrams = (_, _) =>
                {
                    stuck.Set();
                    Assert.True(release.Wait());
                },
            });
        UdpSocket[] sockets = server.Sockets.First;
        using UdpSocket client = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        client.SendTo([1], sockets[1].LocalEndPoint);
        Assert.True(stuck.Wait());
        GoOnWith(
            sockets[0].ReceiveFromAsync(new byte[1], ServerCase.Cancellation),
            static () => throw new FormatException("of a continuation"));
        for (int i = 0; i < queuedCount; i++) client.SendTo([1], sockets[1].LocalEndPoint);

        Task<UdpServerStatistics> stop = server.StopAsync(TimeSpan.Zero, ServerCase.Cancellation);
        release.Set();
        UdpServerStatistics statistics = await stop;

        Assert.Equal(1 + queuedCount, statistics.Sockets.DatagramsReceived);
        Assert.Equal(1 + queuedCount, statistics.Handled + statistics.Unhandled);
        await Assert.ThrowsAsync<FormatException>(() => server.Completion);
        using ReceiveBatch batch = sockets[1].CreateReceiveBatch();
        Assert.Equal(ReceiveStatus.Closed, sockets[1].TryReceive(batch));
    }

    [Theory, InlineData(EndCall.Dispose), InlineData(EndCall.DisposeAsync), InlineData(EndCall.StopAsync)]
    public async Task Stop_ClosingASocketThrows_CompletionFaultsAndTheMeterForgetsTheServer(EndCall end)
    {
        string name = $"faulted-end-{end}";
        UdpServer server = UdpServer.Start(OneThread(socketCount: 1) with { Name = name }, TestHandler.Echo);

        // Closing the socket throws the exception of a synchronous continuation; the stop closes a shared socket
        // itself.
        UdpSocket socket = server.Sockets.First[0];
        GoOnWith(
            socket.ReceiveFromAsync(new byte[1], ServerCase.Cancellation),
            static () => throw new FormatException("of a continuation"));
        Assert.Equal(1, MeterReadings.Collect()[$"spate.server.thread.count/{name}"]);

        Exception? thrown = await Record.ExceptionAsync(() => EndAsync(server, end));

        Exception? fault = await Record.ExceptionAsync(
            () => server.Completion.WaitAsync(ServerCase.Patience, ServerCase.Cancellation));
        Assert.IsType<FormatException>(fault);
        Assert.Same(end == EndCall.StopAsync ? fault : null, thrown);
        Assert.Equal(0, MeterReadings.Collect()[$"spate.server.thread.count/{name}"]);
        server.Dispose();
        Assert.Equal(0, (await server.StopAsync(ServerCase.Cancellation)).Unhandled);
    }

    [Theory]
    [InlineData("sharded")]
    [InlineData("drain")]
    public async Task Dispose_ThreadHasJustEndedByAFault_CompletionFaults(string designName)
    {
        UdpServerDesign design = DesignNames.Find(designName);
        for (int round = 0; round < 20; round++)
        {
            TaskCompletionSource used = new(TaskCreationOptions.RunContinuationsAsynchronously);
            UdpServer server = UdpServer.Start(
                new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], Design = design, ThreadCount = 1 },
                _ => new TestHandler
                {
                    // The thread cannot receive into its batch any more, also while the server stops.
                    Datagrams = (batch, _) =>
                    {
                        batch.Slots.Use.Enter();
                        used.TrySetResult();
                    },
                });
            using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
            client.Send([1]);
            await used.Task.WaitAsync(ServerCase.Patience, ServerCase.Cancellation);

            await EndAsync(server, (EndCall)(round % 3));

            Assert.True(server.Completion.IsFaulted);
            Assert.IsType<InvalidOperationException>(server.Completion.Exception.InnerException);
        }
    }

    [Fact]
    public async Task Completion_ThreadAndThenClosingFaulted_TheFaultOfTheThreadComesFirst()
    {
        UdpServer server = UdpServer.Start(
            OneThread(socketCount: 2), _ => new TestHandler { Datagrams = (batch, _) => batch.Slots.Use.Enter() });
        GoOnWith(
            server.Sockets.First[0].ReceiveFromAsync(new byte[1], ServerCase.Cancellation),
            static () => throw new FormatException("of a continuation"));
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[1]);

        client.Send([1]);

        await Record.ExceptionAsync(
            () => server.Completion.WaitAsync(ServerCase.Patience, ServerCase.Cancellation));
        Assert.Equal(
            [typeof(InvalidOperationException), typeof(FormatException)],
            server.Completion.Exception?.InnerExceptions.Select(fault => fault.GetType()));
    }

    // Continuations run in the call that closes a socket, which can then throw.
    private static UdpServerOptions OneThread(int socketCount) => new()
    {
        LocalEndPoints = [.. Enumerable.Repeat(UdpEndPoint.Loopback(0), socketCount)],
        ThreadCount = 1,
        Design = UdpComparisonDesigns.Drain,
        Socket = new UdpSocketOptions { Backend = UdpBackend.Portable, AllowSynchronousContinuations = true },
    };

    private static async Task EndAsync(UdpServer server, EndCall end)
    {
        if (end == EndCall.Dispose) server.Dispose();
        else if (end == EndCall.DisposeAsync) await server.DisposeAsync();
        else await server.StopAsync(ServerCase.Cancellation);
    }

    private static void GoOnWith(ValueTask<ReceivedDatagram> task, Action continuation) =>
        task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(continuation);

    public enum EndCall
    {
        Dispose,
        DisposeAsync,
        StopAsync,
    }
}
