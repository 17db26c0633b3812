using System.Text.Json;
using Spate.CliTests.Iperf3.Runs;

namespace Spate.CliTests.Iperf3;

/// <summary>Loss that is made on purpose: how much of it, and where it was, is told exactly.</summary>
public sealed class Iperf3LossTests
{
    // Every tenth datagram of the data is dropped, the very last one among them, which iperf3 cannot see. The
    // servers write their documents behind a line that the client's stands before.
    private const string Drop = """
        nft add table inet spate || exit 9
        nft add chain inet spate in '{ type filter hook input priority 0; }' || exit 9
        nft add rule inet spate in udp dport 5201 udp length 1408 numgen inc mod 10 == 9 counter drop || exit 9
        ip link set lo up
        listens() { grep -q ':1451 [0-9A-F:]* 0A ' /proc/net/tcp /proc/net/tcp6; }
        await() { until listens || ! kill -0 $server; do sleep 0.02; done; }

        """;

    // The buffer of the real program, which the system sets, is full after 50 ms in which it cannot run.
    // Three hundred drops: a hundred may be other traffic's where a busy machine makes the test last a second.
    private const string Test = "-u -b 20M -k 3000 -l 1400";

    [Fact]
    public async Task EveryTenthDropped_SpateAtBothEnds_BothTellAll()
    {
        (Iperf3Document client, Iperf3Document server) = await RunDroppedAsync(
            "\"$@\" iperf3 -s -1 --no-gro -J > $file & server=$!; await; "
            + "\"$@\" iperf3 -c 127.0.0.1 --no-gso -J " + Test);

        AssertDropped(client);
        AssertDropped(server);
    }

    [Fact]
    public async Task EveryTenthDropped_RealClient_ServerTellsAll()
    {
        (Iperf3Document client, Iperf3Document server) = await RunDroppedAsync(
            "\"$@\" iperf3 -s -1 --no-gro -J > $file & server=$!; await; iperf3 -c 127.0.0.1 -J " + Test);

        AssertDropped(server);
        Assert.Equal(299, client.Lost(isForward: true));
    }

    [Fact]
    public async Task EveryTenthDropped_RealServer_ClientTellsAll()
    {
        (Iperf3Document client, Iperf3Document server) = await RunDroppedAsync(
            "iperf3 -s -1 -J > $file & server=$!; await; \"$@\" iperf3 -c 127.0.0.1 --no-gso -J " + Test);

        Assert.Equal(299, server.Lost(isForward: true));
        Assert.False(client.Direction(isForward: true).GetProperty("isExact").GetBoolean());
        AssertFigures(client);
    }

    [Theory, InlineData(Iperf3Pairing.RealToSpate), InlineData(Iperf3Pairing.SpateToSpate)]
    public async Task SmallBuffer_Unpaced_SocketIsThePlace(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await Iperf3Pair.RunWithJsonAsync(pairing, "-w 4K -b 0 -k 20000 -l 1400");

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
        const string Count = """
            nft add table inet spate || exit 9
            nft add chain inet spate in '{ type filter hook input priority 0; }' || exit 9
            nft add rule inet spate in ip dscp cs1 udp dport 5201 udp length 1408 counter || exit 9
            nft add rule inet spate in ip dscp cs1 udp sport 5201 udp length 1408 counter || exit 9
            ip link set lo up
            "$@" iperf3 -s -1 > /dev/null & server=$!
            until grep -q ':1451 [0-9A-F:]* 0A ' /proc/net/tcp /proc/net/tcp6; do sleep 0.02; done
            "$@" iperf3 -c 127.0.0.1 -u --bidir -k 20 -b 1M -l 1400 -S 32 > /dev/null; wait $server
            nft list chain inet spate in
            """;

        ToolResult result = await ToolProcess.RunInOwnNetworkAsync(Count);

        Assert.Equal(2, result.Output.Split("counter packets").Length - 1);
        Assert.DoesNotContain("counter packets 0 ", result.Output, StringComparison.Ordinal);
    }

    private static async Task<(Iperf3Document Client, Iperf3Document Server)> RunDroppedAsync(string ends)
    {
        ToolResult result = await ToolProcess.RunInOwnNetworkAsync(
            $"{Drop}file=$(mktemp); {ends}; wait $server; printf '\\0'; cat $file; rm $file");
        string[] documents = result.Output.Split('\0');
        Assert.True(documents.Length == 2 && documents[1].Length > 0, $"{result}");
        return (Iperf3Document.Parse(documents[0]), Iperf3Document.Parse(documents[1]));
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
