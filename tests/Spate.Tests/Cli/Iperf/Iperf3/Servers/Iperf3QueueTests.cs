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
    public void TryRun_TicketsThatWait_RunInTheOrderOfTheirComing()
    {
        var slots = new TestSlots(slotCount: 2, queueLength: 3);
        TestSlots.Ticket[] tickets = [.. Enumerable.Range(0, 5).Select(_ => slots.TryEnter()!)];

        Assert.Null(slots.TryEnter());
        Assert.False(tickets[4].TryRun());
        Assert.True(tickets[1].TryRun());
        Assert.True(tickets[0].TryRun());
        Assert.True(slots.IsFull);
        Assert.False(tickets[2].TryRun());
        tickets[3].Dispose();
        tickets[0].Dispose();
        Assert.False(tickets[4].TryRun());
        Assert.True(tickets[2].TryRun());
        tickets[1].Dispose();
        tickets[1].Dispose();
        Assert.True(tickets[4].TryRun());
        Assert.False(slots.IsIdle);
        tickets[2].Dispose();
        tickets[4].Dispose();
        Assert.True(slots.IsIdle);
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
