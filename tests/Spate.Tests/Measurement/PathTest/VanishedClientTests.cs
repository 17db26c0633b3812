using System.Net.Sockets;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>Clients that end at any point without a word, as a killed process does.</summary>
[ProcessWide("descriptors and threads of the process are counted")]
public sealed class VanishedClientTests
{
    private const int AtOnce = 20;
    private const int MaxLifeMilliseconds = 300;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);

    private static int ClientCount => TestWidth.Of(40, full: 1000);

    [Fact]
    public async Task Clients_GoneAtRandomPoints_LeaveTheServerReadyAndNothingOpen()
    {
        Random random = RandomCase.Create();
        int[] lives = [.. Enumerable.Range(0, ClientCount).Select(_ => random.Next(MaxLifeMilliseconds))];
        TestDirection[] directions = [.. lives.Select(_ => (TestDirection)random.Next(3))];
        using var server = new RunningServer(new TestServerOptions { MaxClients = TestServerOptions.MaxMaxClients });
        RunningServer.Run(server.Options(100));
        await Task.Yield();
        int openBefore = Descriptors.OpenSockets();

        await Parallel.ForAsync(
            0,
            ClientCount,
            new ParallelOptions
            {
                MaxDegreeOfParallelism = AtOnce,
                CancellationToken = TestContext.Current.CancellationToken,
            },
            async (i, cancellation) =>
            {
                TestClientOptions options = server.Options().Asking(test =>
                {
                    test.Direction = directions[i];
                    test.Flows = 1 + (i % 3);
                    test.DatagramCount = null;
                    test.DatagramsPerSecond = 500;
                });
                await VanishAsync(options, TimeSpan.FromMilliseconds(lives[i]), cancellation);
            });

        Assert.True(
            SpinWait.SpinUntil(() => server.Server.ClientCount == 0, Patience), "Clients that are gone still count.");
        Assert.Equal(openBefore, Descriptors.OpenSockets());
        Assert.Equal(0, RunningServer.Run(server.Options()).Directions[0].Lost);
    }

    private static async Task VanishAsync(TestClientOptions options, TimeSpan life, CancellationToken cancellation)
    {
        using var handshake = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        handshake.CancelAfter(life);
        TestClient client;
        try
        {
            client = await RunAsync(() => TestClient.Connect(options, cancellationToken: handshake.Token));
        }
        catch (OperationCanceledException)
        {
            return; // it was gone before the data
        }

        Task run = RunAsync(() => client.Run(cancellationToken: cancellation));
        try
        {
            await run.WaitAsync(life, cancellation);
        }
        catch (TimeoutException)
        {
            client.Abandon();
        }

        try
        {
            await run;
        }
        catch (Exception fault) when (fault is TrafficException or SocketException or ObjectDisposedException)
        {
            // What the client's own end says of it does not matter.
        }
    }

    // Threads of their own: the pool would start its threads one by one.
    private static Task<T> RunAsync<T>(Func<T> run) =>
        Task.Factory.StartNew(run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
