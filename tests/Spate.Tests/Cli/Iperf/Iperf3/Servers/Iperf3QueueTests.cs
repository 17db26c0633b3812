using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.TestHelpers.Iperf3;
using static Spate.TestHelpers.Iperf3.HandMadeIperf3Client;

namespace Spate.Tests.Cli.Iperf.Iperf3.Servers;

/// <summary>Several clients at once: who runs, who waits, who is refused.</summary>
public sealed class Iperf3QueueTests
{
    private const int AccessDenied = -1;

    [Fact]
    public void TryRun_ClientsThatWait_RunInTheOrderOfTheirComing()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var options = new Iperf3ServerOptions { ParallelTests = 2, QueueLength = 3 };
        var served = new ServedClients(options, maxPending: 10, static _ => { });
        ServedClient[] clients = [.. Enumerable.Range(0, 6).Select(_ => served.Add(Accept(listener)))];
        ServedClient late = clients[5];

        // The last to come was the first to be ready.
        clients = [clients[4], .. clients[..4]];
        Assert.All(clients, client => Assert.True(served.TryEnter(client)));
        Assert.False(served.TryEnter(late));
        Assert.False(served.TryRun(clients[4]));
        Assert.True(served.TryRun(clients[1]));
        Assert.True(served.TryRun(clients[0]));
        Assert.True(served.IsFull);
        Assert.False(served.TryRun(clients[2]));
        served.MakeRoom(clients[3]);
        served.MakeRoom(clients[0]);
        Assert.False(served.TryRun(clients[4]));
        Assert.True(served.TryRun(clients[2]));
        served.MakeRoom(clients[1]);
        served.MakeRoom(clients[1]);
        Assert.True(served.TryRun(clients[4]));
        Assert.False(served.IsIdle);
        served.MakeRoom(clients[2]);
        served.MakeRoom(clients[4]);
        Assert.True(served.IsIdle);
        Array.ForEach([.. clients, late], static client => client.Control.Dispose());
    }

    [Fact]
    public void Client_OfAServerThatRunsATest_IsTold()
    {
        using var server = new RunningIperf3Server();
        using var running = new HandMadeIperf3Client(server.EndPoint);
        running.Run();
        using var second = new HandMadeIperf3Client(server.EndPoint);

        Assert.Equal([AccessDenied], second.ReadToEnd());
        var observer = new RecordingObserver();
        Iperf3Exception fault = Assert.Throws<Iperf3Exception>(() => Iperf3Client.Run(
            server.Options(), observer, cancellationToken: TestContext.Current.CancellationToken));
        Assert.Equal("the server is busy running a test. try again later", fault.Message);
        Assert.Equal(fault.Message, observer.Fault);
        running.Vanish(resets: true);
    }

    [Fact]
    public void Client_ThatWaitsAndLeaves_GivesUpItsPlace()
    {
        using var server = new RunningIperf3Server(new Iperf3ServerOptions { QueueLength = 1 });
        using var running = new HandMadeIperf3Client(server.EndPoint);
        running.Run();
        for (int i = 0; i < 3; i++)
        {
            HandMadeIperf3Client waiting = Wait(server);
            waiting.Vanish(resets: i % 2 == 0);
        }

        using HandMadeIperf3Client last = Wait(server);
        using (var refused = new HandMadeIperf3Client(server.EndPoint))
        {
            Assert.Equal([AccessDenied], refused.ReadToEnd());
        }

        running.Vanish(resets: false);
        Assert.Equal(1, last.ReadState());
    }

    [Fact]
    public async Task Clients_InTheQueue_AreAllServed()
    {
        const int clients = 6;
        using var server = new RunningIperf3Server(new Iperf3ServerOptions { QueueLength = clients });

        await RunAtOnceAsync(server, clients);
    }

    [Fact]
    public async Task Clients_OfParallelTests_AreAllServed()
    {
        const int clients = 6;
        using var server = new RunningIperf3Server(new Iperf3ServerOptions { ParallelTests = clients });

        await RunAtOnceAsync(server, clients);
    }

    private static Task RunAtOnceAsync(RunningIperf3Server server, int clients) => Task.WhenAll(
        Enumerable.Range(0, clients).Select(_ => Task.Factory.StartNew(
            server.RunWholeTest,
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default)));

    private static ControlStream Accept(TcpListener listener)
    {
        using var client = new HandMadeIperf3Client((IPEndPoint)listener.LocalEndpoint);
        return new ControlStream(listener.AcceptSocket());
    }

    // A client that left just now may still have the place.
    private static HandMadeIperf3Client Wait(RunningIperf3Server server)
    {
        while (true)
        {
            var client = new HandMadeIperf3Client(server.EndPoint);
            client.Send(CookieBytes);
            int state = client.ReadState();
            if (state == 9)
            {
                client.Send(Message(Parameters()));
                Assert.Equal(10, client.ReadState());
                client.OpenStream();

                // The third is answered by a test that has its place in the queue.
                for (int i = 0; i < 3; i++)
                {
                    client.Streams[0].Send(Datagram(0));
                    _ = Read(client.Streams[0]);
                }

                return client;
            }

            Assert.Equal(AccessDenied, state);
            client.Dispose();
        }
    }
}
