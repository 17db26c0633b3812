using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.TestHelpers.Iperf3;
using static Spate.TestHelpers.Iperf3.HandMadeIperf3Client;

namespace Spate.Tests.Cli.Iperf.Iperf3.Servers;

/// <summary>What a client may say at the end of its test.</summary>
public sealed class HostileResultsTests : IDisposable
{
    private const string Begin = """{"cpu_util_total":0,"cpu_util_user":0,"cpu_util_system":0,""";

    private readonly RunningIperf3Server _server = new(new Iperf3ServerOptions { ParallelTests = 64 });

    public void Dispose() => _server.Dispose();

    [Fact]
    public async Task Results_OfAnyKind_EndTheirTestOnce()
    {
        byte[][] sent = [.. Documents().Select(Message), .. WrongMessages()];
        await Parallel.ForEachAsync(
            sent,
            new ParallelOptions
            {
                MaxDegreeOfParallelism = sent.Length,
                CancellationToken = TestContext.Current.CancellationToken,
            },
            async (message, cancellation) =>
            {
                await Task.Yield();
                cancellation.ThrowIfCancellationRequested();
                using var client = new HandMadeIperf3Client(_server.EndPoint);
                client.Run();
                for (uint counter = 1; counter <= 3; counter++) client.Streams[0].Send(Datagram(counter));
                client.EndData();
                client.Send(message);
                client.Control.Shutdown(System.Net.Sockets.SocketShutdown.Send);
                _ = client.ReadToEnd();
            });

        Assert.Equal(sent.Length, _server.Tests.Count);
        foreach (RecordingObserver test in _server.Tests)
        {
            await test.Ended.WaitAsync(RunningIperf3Server.Patience, TestContext.Current.CancellationToken);
            Assert.Equal(1, test.EndCount);
            if (test.Outcome is not { } outcome) continue;

            Iperf3Direction direction = Assert.Single(outcome.Directions);
            Assert.True(direction.IsExact);
            Assert.InRange(direction.Account.Lost, 0, long.MaxValue);
            Assert.InRange(direction.AfterEnd, 0, long.MaxValue);
        }

        _server.RunWholeTest();
    }

    [Fact]
    public void Client_ThatSendsNoResults_IsGivenUp()
    {
        var time = new FakeTime();
        using var server = new RunningIperf3Server(time: time);
        using var client = new HandMadeIperf3Client(server.EndPoint);
        client.Run();
        client.Send(4);
        RecordingObserver test = Assert.Single(server.Tests);
        time.AdvanceUntil(test.Ended, TimeSpan.FromMilliseconds(200));

        Assert.Contains("did not send", test.Fault, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Client_ThatDoesNotSayGoodbye_HasItsResults()
    {
        using var client = new HandMadeIperf3Client(_server.EndPoint);
        client.Run();
        for (uint counter = 1; counter <= 4; counter++) client.Streams[0].Send(Datagram(counter));
        client.EndData();
        client.Send(Message(Results(packets: 5)));

        Assert.Contains("\"spate\":", client.ReadJson(), StringComparison.Ordinal);
        Assert.Equal(14, client.ReadState());
        client.Vanish(resets: true);
        RecordingObserver test = Assert.Single(_server.Tests);
        await test.Ended.WaitAsync(RunningIperf3Server.Patience, TestContext.Current.CancellationToken);
        Assert.Equal(1, Assert.Single(test.Outcome!.Directions).Account.Lost);
        Assert.Equal(1, test.EndCount);
    }

    private static IEnumerable<string> Documents()
    {
        yield return "{}";
        yield return "[]";
        yield return Begin + "\"streams\":[]}";
        yield return Begin + "\"streams\":{}}";
        yield return Begin + "\"streams\":[7]}";
        yield return Begin + "\"streams\":[{}]}";
        yield return Begin + "\"streams\":[{\"id\":2,\"bytes\":1}]}";
        yield return Begin + "\"streams\":[{\"id\":-1}]}";
        yield return Begin + "\"streams\":[{\"id\":1}]}";
        yield return Begin + "\"streams\":" + new string('[', 1000);
        yield return Begin + "\"streams\":[" + string.Join(',', Enumerable.Repeat("{\"id\":1}", 257)) + "]}";
        yield return Begin + "\"streams\":["
            + string.Join(',', Enumerable.Range(0, 256).Select(static i => $"{{\"id\":1,\"packets\":{i * 1000}}}"))
            + "]}";
        foreach (string number in (string[])
            ["-1", "1e18", "1e300", "-1e300", "1e400", "18446744073709551615", "9007199254740993", "null", "\"7\""])
        {
            yield return Begin + "\"streams\":[{\"id\":1,"
                + $"\"bytes\":{number},\"packets\":{number},\"errors\":{number},\"jitter\":{number},"
                + $"\"omitted_packets\":{number},\"omitted_errors\":{number},\"end_time\":{number}}}]}}";
            yield return Begin + "\"streams\":[{\"id\":1,\"packets\":3}],\"spate\":{\"Sent\":{"
                + $"\"Datagrams\":{number},\"Bytes\":{number},\"Seconds\":{number},\"Refused\":{number}}}}}}}";
        }

        foreach (string own in (string[])
        [
            "null", "7", "[]", "{}", "{\"sent\":null}", "{\"sent\":{}}", "{\"received\":{\"lost\":-1}}",
            "{\"host\":[]}",
        ])
        {
            yield return Begin + "\"streams\":[{\"id\":1,\"packets\":3}],\"spate\":" + own + "}";
        }
    }

    private static IEnumerable<byte[]> WrongMessages()
    {
        yield return Length(0);
        yield return Length((1 << 20) + 1);
        yield return Length(uint.MaxValue);
        yield return Message(Results(3))[..20];
        yield return [0, 0];
        yield return [];
    }
}
