using System.Text.Json;

namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>Loss that is made on purpose: how much of it, and where it was, is told exactly.</summary>
public sealed class Iperf3LossTests(OwnNetwork network) : IClassFixture<OwnNetwork>
{
    private const string Chain = "hook input priority 0";

    // The buffer of the real program, which the system sets, is full after 50 ms in which it cannot run.
    // Three hundred drops: a hundred may be other traffic's where a busy machine makes the test last a second.
    private const string Test = "-J -b 20M -k 3000 -l 1400 ";

    [Fact]
    public async Task EveryTenthDropped_SpateAtBothEnds_BothTellAll()
    {
        (Iperf3Document client, Iperf3Document server) = await RunDroppedAsync(
            Iperf3Pairing.SpateToSpate, Test + "--no-gso", "-J --no-gro");

        AssertDropped(client);
        AssertDropped(server);
    }

    [Fact]
    public async Task EveryTenthDropped_RealClient_ServerTellsAll()
    {
        (Iperf3Document client, Iperf3Document server) = await RunDroppedAsync(
            Iperf3Pairing.RealToSpate, Test, "-J --no-gro");

        AssertDropped(server);
        Assert.Equal(299, client.Lost(isForward: true));
    }

    [Fact]
    public async Task EveryTenthDropped_RealServer_ClientTellsAll()
    {
        (Iperf3Document client, Iperf3Document server) = await RunDroppedAsync(
            Iperf3Pairing.SpateToReal, Test + "--no-gso", "-J");

        Assert.Equal(299, server.Lost(isForward: true));
        Assert.False(client.Direction(isForward: true).GetProperty("isExact").GetBoolean());
        AssertFigures(client);
    }

    [Theory, InlineData(Iperf3Pairing.RealToSpate), InlineData(Iperf3Pairing.SpateToSpate)]
    public async Task SmallBuffer_Unpaced_SocketIsThePlace(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await network.RunWithJsonAsync(pairing, "-w 4K -b 0 -k 20000 -l 1400");

        Iperf3Document server = pair.ServerDocument;
        JsonElement account = server.Direction(isForward: true).GetProperty("account");
        long sent = pair.ClientDocument.Sent(isForward: true);
        long lost = account.GetProperty("lost").GetInt64();
        Assert.Equal(sent, account.GetProperty("datagrams").GetInt64());
        Assert.Equal(sent, account.GetProperty("unique").GetInt64() + lost);
        Assert.True(lost > 0);
        JsonElement places = account.GetProperty("lostWhere");

        // Where other programs or guests took the receiver's CPU, it is the reader that was late.
        long there = places.GetProperty("socket").GetInt64() + places.GetProperty("reader").GetInt64();
        Assert.True(there >= lost / 2, account.GetRawText());
        Assert.Matches("socket|receiver", account.GetProperty("verdict").GetString());
    }

    [Fact]
    public async Task TrafficClass_Data_CarriesIt()
    {
        int port = OwnNetwork.TakePort();
        network.Namespace.RequireNft();
        network.Namespace.AddRule("inet", Chain, $"ip dscp cs1 udp dport {port} udp length 1408 counter");
        network.Namespace.AddRule("inet", Chain, $"ip dscp cs1 udp sport {port} udp length 1408 counter");

        await network.RunPairAsync(Iperf3Pairing.SpateToSpate, port, "--bidir -k 20 -b 1M -l 1400 -S 32", "");

        string[] rules = [.. network.Namespace.Execute("nft list chain inet spate drops").Split('\n')
            .Where(line => line.Contains($"port {port} ", StringComparison.Ordinal))];
        Assert.Equal(2, rules.Length);
        Assert.All(rules, static rule => Assert.Matches("counter packets [1-9]", rule));
    }

    // Every tenth datagram of the data is dropped, the very last one among them, which iperf3 cannot see.
    private async Task<(Iperf3Document Client, Iperf3Document Server)> RunDroppedAsync(
        Iperf3Pairing pairing, string clientOptions, string serverOptions)
    {
        int port = OwnNetwork.TakePort();
        network.Namespace.RequireNft();
        network.Namespace.AddRule(
            "inet", Chain, $"udp dport {port} udp length 1408 numgen inc mod 10 == 9 counter drop");
        Iperf3Pair pair = await network.RunPairAsync(pairing, port, clientOptions, serverOptions);
        return (pair.ClientDocument, pair.ServerDocument);
    }

    private static void AssertDropped(Iperf3Document document)
    {
        Assert.True(document.Direction(isForward: true).GetProperty("isExact").GetBoolean());
        AssertFigures(document);
        JsonElement account = document.Direction(isForward: true).GetProperty("account");
        Assert.True(account.GetProperty("lostWhere").GetProperty("firewall").GetInt64() > 0, account.GetRawText());
        Assert.Contains("firewall", account.GetProperty("verdict").GetString(), StringComparison.Ordinal);
    }

    // iperf3 misses the one at the tail.
    private static void AssertFigures(Iperf3Document document)
    {
        Assert.Equal(3000, document.Account(isForward: true, "datagrams"));
        Assert.Equal(2700, document.Account(isForward: true, "unique"));
        Assert.Equal(300, document.Account(isForward: true, "lost"));
        Assert.Equal(299, document.Direction(isForward: true).GetProperty("referenceLost").GetInt64());
        Assert.Equal(1, document.Direction(isForward: true).GetProperty("afterEnd").GetInt64());
    }
}
