using System.Diagnostics;
using System.Net.Sockets;
using Spate.Measurement.Testing;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Testing;

/// <summary>Clients that end at any point without a word, as a killed process does.</summary>
[Collection(AloneCollection.Name)]
public sealed class VanishedClientTests
{
    private const int AtOnce = 20;
    private const int MaxLifeMilliseconds = 300;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);

    private static int ClientCount => Environment.GetEnvironmentVariable("SPATE_LONG") is "1" ? 1000 : 200;

    [Fact]
    public async Task Clients_GoneAtRandomPoints_LeaveTheServerReadyAndNothingOpen()
    {
        Random random = RandomCase.Create();
        int[] lives = [.. Enumerable.Range(0, ClientCount).Select(_ => random.Next(MaxLifeMilliseconds))];
        TestDirection[] directions = [.. lives.Select(_ => (TestDirection)random.Next(3))];
        using var server = new RunningServer(new TestServerOptions { MaxClients = TestServerOptions.MaxMaxClients });
        RunningServer.Run(server.Options(100));
        await Task.Yield();
        int openBefore = OpenSockets();

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
                TestClientOptions options = server.Options() with
                {
                    Direction = directions[i],
                    FlowCount = 1 + (i % 3),
                    DatagramCount = null,
                    DatagramsPerSecond = 500,
                };
                await VanishAsync(options, TimeSpan.FromMilliseconds(lives[i]), cancellation);
            });

        long start = Stopwatch.GetTimestamp();
        while (server.Server.ClientCount > 0)
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < Patience, "Clients that are gone still count.");
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }

        Assert.Equal(openBefore, OpenSockets());
        Assert.Equal(0, RunningServer.Run(server.Options()).Directions[0].Lost);
    }

    private static async Task VanishAsync(TestClientOptions options, TimeSpan life, CancellationToken cancellation)
    {
        using var handshake = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        handshake.CancelAfter(life);
        TestClient client;
        try
        {
            client = await Task.Run(
                () => TestClient.Connect(options, cancellationToken: handshake.Token), cancellation);
        }
        catch (OperationCanceledException)
        {
            return; // it was gone before the data
        }

        Task run = Task.Run(() => client.Run(cancellationToken: cancellation), cancellation);
        await Task.Delay(life, cancellation);
        client.Abandon();
        try
        {
            await run;
        }
        catch (Exception fault) when (fault is TrafficException or SocketException or ObjectDisposedException)
        {
            // What the client's own end says of it does not matter.
        }
    }

    private static int OpenSockets() =>
        Descriptors.Targets().Count(static target => target.StartsWith("socket:", StringComparison.Ordinal));
}
