using System.Globalization;
using System.Text.Json;

namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>That options of a test have their effect at both ends, in every pairing.</summary>
public sealed class Iperf3OptionEffectTests(OwnNetwork network) : IClassFixture<OwnNetwork>
{
    private const string Short = "-b 20M -k 30 -l 1400 ";

    public static TheoryData<Iperf3Pairing> Pairings { get; } = new(Enum.GetValues<Iperf3Pairing>());

    [Theory, MemberData(nameof(Pairings))]
    public async Task Cport_TwoStreams_TakeItAndTheNext(Iperf3Pairing pairing)
    {
        int port = OwnNetwork.TakePort();
        Assert.InRange(OwnNetwork.TakePort(), port + 1, int.MaxValue);
        Iperf3Pair pair = await network.RunWithJsonAsync(pairing, $"{Short} -P 2 --cport {port}");

        Assert.Equal([port, port + 1], Ports(pair.ClientDocument, "local_port"));
        Assert.Equal([port, port + 1], Ports(pair.ServerDocument, "remote_port"));
    }

    [Theory, MemberData(nameof(Pairings))]
    public async Task Bind_OtherAddress_IsTheOneOfTheStreams(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await network.RunWithJsonAsync(pairing, Short + "-B 127.0.0.2");

        Assert.Equal("127.0.0.2", pair.ClientDocument.Connected.GetProperty("local_host").GetString());
        Assert.Equal(30, pair.ServerDocument.Received(isForward: true));
        Assert.EndsWith(
            "127.0.0.2",
            pair.ServerDocument.Start.GetProperty("accepted_connection").GetProperty("host").GetString(),
            StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(Pairings))]
    public async Task Six_BothWays_IsIPv6(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await network.RunWithJsonAsync(pairing, Short + "--bidir -6");

        Assert.Equal("::1", pair.ClientDocument.Connected.GetProperty("remote_host").GetString());
        Assert.Equal("::1", pair.ServerDocument.Connected.GetProperty("remote_host").GetString());
    }

    // A thread that sleeps gives its CPU up once for almost every receive call.
    [Theory, InlineData("", false), InlineData("--spin", true)]
    public async Task Spin_Receiver_NeverSleeps(string option, bool spins)
    {
        Iperf3Pair pair = await network.RunPairAsync(
            Iperf3Pairing.RealToSpate, "-J -b 20M -k 300 -l 1400", $"-J {option}");

        JsonElement received = pair.ServerDocument.Exact!.Value.GetProperty("local").GetProperty("received");
        JsonElement thread = Assert.Single(received.GetProperty("threads").EnumerateArray());
        long sleeps = thread.GetProperty("voluntarySwitches").GetInt64();
        Assert.Equal(spins, received.GetProperty("spins").GetBoolean());
        Assert.Equal(spins, sleeps < received.GetProperty("calls").GetInt64() / 2);
        Assert.Equal(300, pair.ServerDocument.Received(isForward: true));
    }

    [Theory, MemberData(nameof(Pairings))]
    public async Task Title_Named_IsInTheDocumentAndInFrontOfLines(Iperf3Pairing pairing)
    {
        Iperf3Pair json = await network.RunWithJsonAsync(pairing, Short + "-T some --extra-data more");
        Iperf3Pair text = await network.RunPairAsync(pairing, Short + "-T some", "");

        foreach (Iperf3Document end in (Iperf3Document[])[json.ClientDocument, json.ServerDocument])
        {
            Assert.Equal("some", end.Root.GetProperty("title").GetString());
            Assert.Equal("more", end.Root.GetProperty("extra_data").GetString());
        }

        Assert.StartsWith("some:  Connecting to host", text.Client.Output, StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(Pairings))]
    public async Task Title_Empty_IsNoMistake(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await network.RunPairAsync(pairing, Short + "-T ''", "");

        Assert.Contains("Connecting to host", pair.Client.Output, StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(Pairings))]
    public async Task Window_Small_IsTheBufferOfBothEnds(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await network.RunWithJsonAsync(pairing, Short + "-w 64K");

        foreach (Iperf3Document end in (Iperf3Document[])[pair.ClientDocument, pair.ServerDocument])
        {
            // Linux tells twice of what was asked for.
            Assert.Equal(64 * 1024, end.Start.GetProperty("sock_bufsize").GetInt32());
            Assert.InRange(end.Start.GetProperty("rcvbuf_actual").GetInt32(), 64 * 1024, 128 * 1024);
            Assert.InRange(end.Start.GetProperty("sndbuf_actual").GetInt32(), 64 * 1024, 128 * 1024);
        }
    }

    [Theory, MemberData(nameof(Pairings))]
    public async Task GetServerOutput_ServerWithJson_IsADocument(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await network.RunWithJsonAsync(pairing, Short + "--get-server-output");

        JsonElement output = pair.ClientDocument.Root.GetProperty("server_output_json");
        Assert.Equal(
            pair.ServerDocument.Start.GetProperty("cookie").GetString(),
            output.GetProperty("start").GetProperty("cookie").GetString());
    }

    [Theory, MemberData(nameof(Pairings))]
    public async Task GetServerOutput_ServerWithText_IsText(Iperf3Pairing pairing)
    {
        Iperf3Pair json = await network.RunPairAsync(pairing, "-J --get-server-output " + Short, "");
        Iperf3Pair text = await network.RunPairAsync(pairing, "--get-server-output " + Short, "");

        string inJson = json.ClientDocument.Root.GetProperty("server_output_text").GetString()!;
        Assert.Contains("receiver", inJson, StringComparison.Ordinal);
        Assert.Contains("Accepted connection from", text.Client.Output, StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(Pairings))]
    public async Task Omit_FirstSecond_IsInNoTotal(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await network.RunWithJsonAsync(pairing, "-O 1 -t 1 -b 2M -l 1000 -i 0.5");

        JsonElement[] intervals = pair.ClientDocument.IntervalSums();
        Assert.True(intervals[0].GetProperty("omitted").GetBoolean());
        Assert.False(intervals[^1].GetProperty("omitted").GetBoolean());
        long counted = intervals.Where(static sum => !sum.GetProperty("omitted").GetBoolean())
            .Sum(static sum => sum.GetProperty("bytes").GetInt64());
        Assert.True(counted > 0);
        Assert.InRange(pair.ClientDocument.SentBytes, counted / 2, Math.Min(counted * 3 / 2, 375_000));
        Assert.Equal(0, pair.ServerDocument.Lost(isForward: true));
    }

    [Theory, MemberData(nameof(Pairings))]
    public async Task Intervals_WholeTest_FollowEachOther(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await network.RunPairAsync(pairing, "-J -n 300K -b 4M -l 1000 -i 0.1", "-J -i 0.1");

        foreach (Iperf3Document end in (Iperf3Document[])[pair.ClientDocument, pair.ServerDocument])
        {
            JsonElement[] sums = end.IntervalSums();

            // A busy machine makes the test longer, and intervals too; none is shorter but the last.
            double seconds = sums[^1].GetProperty("end").GetDouble();
            Assert.InRange(sums.Length, 2, (int)Math.Ceiling(seconds / 0.1) + 1);
            for (int i = 1; i < sums.Length; i++)
            {
                Assert.Equal(sums[i - 1].GetProperty("end").GetDouble(), sums[i].GetProperty("start").GetDouble(), 2);
            }

            long packets = sums.Sum(static sum => sum.GetProperty("packets").GetInt64());
            long all = Math.Max(end.Sent(isForward: true), end.Received(isForward: true));
            Assert.InRange(packets, all * 7 / 10, all);
        }
    }

    [Theory]
    [InlineData(Iperf3Pairing.SpateToReal, "")]
    [InlineData(Iperf3Pairing.SpateToReal, "-R")]
    [InlineData(Iperf3Pairing.SpateToReal, "--bidir")]
    [InlineData(Iperf3Pairing.SpateToSpate, "--gsro")]
    [InlineData(Iperf3Pairing.SpateToReal, "--gsro")]
    public async Task JsonStream_Client_IsALineForEachEvent(Iperf3Pairing pairing, string options)
    {
        Iperf3Pair pair = await network.RunPairAsync(pairing, $"--json-stream {Short} -i 0.1 {options}", "-J");

        string[] events = [.. pair.Client.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(static line => JsonDocument.Parse(line).RootElement.GetProperty("event").GetString()!)];
        Assert.Equal("start", events[0]);
        Assert.Equal("end", events[^1]);
        Assert.Contains("interval", events, StringComparer.Ordinal);
    }

    [Theory, InlineData(Iperf3Pairing.RealToSpate), InlineData(Iperf3Pairing.SpateToSpate)]
    public async Task Affinity_FourStreamsToOneCore_AreAllReceived(Iperf3Pairing pairing)
    {
        Iperf3Pair pair = await network.RunPairAsync(pairing, "-J -P 4 -b 5M -k 200 -l 1400", "-J -A 0");

        long sent = pair.ClientDocument.Sent(isForward: true);
        Assert.Equal(sent, pair.ServerDocument.Received(isForward: true));
        Assert.Equal(0, pair.ServerDocument.Account(isForward: true, "lost"));
    }

    private static int[] Ports(Iperf3Document document, string name) =>
    [
        .. document.Start.GetProperty("connected").EnumerateArray()
            .Select(one => int.Parse(one.GetProperty(name).GetRawText(), CultureInfo.InvariantCulture)),
    ];
}
