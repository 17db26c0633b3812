using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.TestHelpers.Iperf3;
using static Spate.TestHelpers.Iperf3.HandMadeIperf3Client;

namespace Spate.Tests.Cli.Iperf.Iperf3.Servers;

/// <summary>Clients that end at any byte of their conversation without a word, as a killed process does.</summary>
[ProcessWide("descriptors and threads of the process are counted")]
public sealed class VanishedIperf3ClientTests
{
    private const int AtOnce = 16;
    private const int DatagramCount = 20;

    private static readonly TimeSpan Ready = TimeSpan.FromSeconds(15);

    private static int ClientCount => TestWidth.Of(40, full: 1000);

    [Fact]
    public async Task Clients_GoneAtRandomPoints_LeaveTheServerReadyAndNothingOpen()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is needed");
        Random random = RandomCase.Create();
        int[] seeds = [.. Enumerable.Range(0, ClientCount).Select(_ => random.Next())];
        using var server = new RunningIperf3Server(new Iperf3ServerOptions { ParallelTests = 64 });
        server.RunWholeTest();

        // The server's end of the first test ends a moment after the client's.
        Assert.True(SpinWait.SpinUntil(static () => ServerThreads() == 0, Ready), "A thread still runs.");
        int socketsBefore = Descriptors.OpenSockets();

        await Parallel.ForEachAsync(
            seeds,
            new ParallelOptions
            {
                MaxDegreeOfParallelism = AtOnce,
                CancellationToken = TestContext.Current.CancellationToken,
            },
            async (seed, _) =>
            {
                await Task.Yield();
                Vanish(server, new Random(seed));
            });

        Assert.True(
            SpinWait.SpinUntil(() => Descriptors.OpenSockets() <= socketsBefore, Ready), "Sockets are still open.");
        Assert.True(SpinWait.SpinUntil(static () => ServerThreads() == 0, Ready), "Threads still run.");
        server.RunWholeTest();
        TestContext.Current.TestOutputHelper?.WriteLine($"{server.Tests.Count - 2} vanished after their data began");
        Assert.InRange(server.Tests.Count - 2, 1, ClientCount);
        Assert.All(server.Tests, static test => Assert.Equal(1, test.EndCount));
    }

    private static void Vanish(RunningIperf3Server server, Random random)
    {
        int streams = random.Next(1, 4);
        string more = random.Next(3) switch
        {
            0 => ",\"reverse\":true",
            1 => ",\"bidirectional\":true",
            _ => "",
        };
        var client = new HandMadeIperf3Client(server.EndPoint);
        int allStreams = more.Contains("bidir", StringComparison.Ordinal) ? 2 * streams : streams;
        Action[] steps =
        [
            () => SendSome(client, CookieBytes, random),
            () => client.Send(CookieBytes),
            () => Assert.Equal(9, client.ReadState()),
            () => SendSome(client, Message(Parameters(streams, more)), random),
            () => client.Send(Message(Parameters(streams, more))),
            () => Assert.Equal(10, client.ReadState()),
            .. Enumerable.Repeat(() => { _ = client.OpenStream(); }, allStreams),
            () => Assert.Equal(1, client.ReadState()),
            () => Assert.Equal(2, client.ReadState()),
            () => SendData(client, random.Next(DatagramCount)),
            client.EndData,
            () => SendSome(client, Message(Results(DatagramCount, allStreams)), random),
            () => client.Send(Message(Results(DatagramCount, allStreams))),
            () => client.ReadJson(),
        ];

        // The parts of a message end the conversation; else they are left out.
        int last = random.Next(steps.Length);
        int[] parts = [0, 3, steps.Length - 3];
        for (int i = 0; i <= last; i++)
        {
            if (i == last || !parts.Contains(i)) steps[i]();
        }

        client.Vanish(resets: random.Next(2) == 0);
    }

    private static void SendSome(HandMadeIperf3Client client, byte[] message, Random random) =>
        client.Send(message[..random.Next(message.Length)]);

    private static void SendData(HandMadeIperf3Client client, int count)
    {
        foreach (Socket stream in client.Streams)
        {
            for (uint counter = 1; counter <= count; counter++) stream.Send(Datagram(counter));
        }
    }

    // The first 15 characters of the names of the threads of tests.
    private static int ServerThreads() => Directory.GetDirectories("/proc/self/task").Count(static task =>
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm")).StartsWith("spate iperf3 te", StringComparison.Ordinal);
        }
        catch (IOException)
        {
            return false; // it has ended meanwhile
        }
    });
}
