using System.Text.Json;

namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>Paced tests of an amount on a clean path, where nothing is lost: what both ends say of them.</summary>
public abstract class Iperf3Agreement(OwnNetwork network) : IClassFixture<OwnNetwork>
{
    private static readonly string[] Agreed =
        ["protocol", "num_streams", "blksize", "omit", "duration", "bytes", "blocks", "reverse", "tos"];

    private static readonly Iperf3Pairing[] Pairings = Enum.GetValues<Iperf3Pairing>();

    /// <summary>Every pairing with every set of options.</summary>
    protected static TheoryData<Iperf3Pairing, string> EveryPairing(params string[] options)
    {
        var cases = new TheoryData<Iperf3Pairing, string>();
        foreach (string one in options)
        {
            foreach (Iperf3Pairing pairing in Pairings) cases.Add(pairing, one);
        }

        return cases;
    }

    /// <summary>Runs a test and compares what both ends say.</summary>
    private protected async Task<Iperf3Pair> RunAsync(Iperf3Pairing pairing, string options)
    {
        Iperf3Pair pair = await network.RunWithJsonAsync(pairing, options);
        Iperf3Document client = pair.ClientDocument;
        Iperf3Document server = pair.ServerDocument;
        Assert.Equal(client.Start.GetProperty("cookie").GetString(), server.Start.GetProperty("cookie").GetString());
        Assert.Equal(client.StreamCount, server.StreamCount);
        foreach (string name in Agreed)
        {
            string mine = $"{name} {client.TestStart.GetProperty(name)}";
            Assert.Equal(mine, $"{name} {server.TestStart.GetProperty(name)}");
        }

        AssertAddresses(client, server);
        return pair;
    }

    /// <summary>The client has sent, and both ends agree to the last datagram.</summary>
    private protected static void AssertForward(Iperf3Document client, Iperf3Document server)
    {
        long sent = client.Sent(isForward: true);
        Assert.True(sent > 0);
        Assert.Equal(sent, server.Received(isForward: true));
        Assert.Equal(0, server.Lost(isForward: true));
        Assert.Equal(sent, client.Received(isForward: true));
        Assert.Equal(0, client.Lost(isForward: true));
        AssertExact(client, isForward: true, sent);
        AssertExact(server, isForward: true, sent);
    }

    /// <summary>The server has sent, and went on for a while after the client had counted enough.</summary>
    private protected static void AssertReverse(Iperf3Document client, Iperf3Document server)
    {
        long received = client.Received(isForward: false);
        long sent = server.Sent(isForward: false);
        Assert.InRange(received, 1, sent);
        Assert.Equal(0, client.Lost(isForward: false));
        if (server.Exact is not null) AssertVerdictOfTheSender(server);
        if (client.Exact is null) return;

        AssertExact(client, isForward: false, sent);
        Assert.Equal(
            sent - received, client.Direction(isForward: false).GetProperty("afterEnd").GetInt64());
    }

    // It does not know what became of those that an iperf3 did not count.
    private static void AssertVerdictOfTheSender(Iperf3Document server)
    {
        JsonElement direction = server.Direction(isForward: false);
        bool isUncertain = !direction.GetProperty("isExact").GetBoolean()
            && direction.GetProperty("afterEnd").GetInt64() > 0
            && server.Account(isForward: false, "lost") == 0;
        string verdict = direction.GetProperty("account").GetProperty("verdict").GetString()!;
        Assert.Equal(
            isUncertain,
            verdict.StartsWith("Up to the last one that iperf3 counts: Nothing", StringComparison.Ordinal));
    }

    private static void AssertExact(Iperf3Document document, bool isForward, long sent)
    {
        if (document.Exact is null) return;

        Assert.Equal(sent, document.Account(isForward, "datagrams"));
        Assert.Equal(sent, document.Account(isForward, "unique"));
        Assert.Equal(0, document.Account(isForward, "lost"));
        Assert.Equal(0, document.Direction(isForward).GetProperty("referenceLost").GetInt64());
    }

    // What is one's own is the other one's remote.
    private static void AssertAddresses(Iperf3Document client, Iperf3Document server)
    {
        Assert.Equal(
            client.Connected.GetProperty("local_port").GetInt32(),
            server.Connected.GetProperty("remote_port").GetInt32());
        Assert.Equal(
            client.Connected.GetProperty("local_host").GetString(),
            server.Connected.GetProperty("remote_host").GetString()!.Replace("::ffff:", "", StringComparison.Ordinal));
    }
}
