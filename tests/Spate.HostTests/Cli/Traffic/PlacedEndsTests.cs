using System.Text.Json;
using Spate.Cli.Shell.Options;
using Spate.HostTests.Cli.Iperf.Iperf3;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Traffic;

namespace Spate.HostTests.Cli.Traffic;

/// <summary>
/// Without <c>--cpu</c> both ends of a pair on one host run where a bench places them. In a network of the test's own,
/// since a CPU is taken by one end of a network at a time.
/// </summary>
public sealed class PlacedEndsTests
{
    private static readonly string[] Load = ["--count", "100", "--rate", "2k", "--size", "64", "--json", "-"];

    [Theory]
    [InlineData("127.0.0.1:0", "127.0.0.1")]
    [InlineData("[::1]:0", "[::1]")]
    [InlineData("0.0.0.0:0", "127.0.0.1")]
    [InlineData("0.0.0.0:0", "10.8.8.8")]
    [InlineData("10.8.8.8:0", "10.8.8.8")]
    public async Task SendAndReceive_OneHost_RunWhereABenchPlacesThem(string local, string target)
    {
        using OwnNetwork network = TwoCpus();
        network.Namespace.Ip("address add 10.8.8.8/32 dev lo");
        await using RunningTool receiver = network.Start(Receive(local));

        ToolResult sent = await network.RunAsync(["send", $"{target}:{await PortOf(receiver)}", .. Load]);

        ToolResult received = await receiver.FinishAsync();
        AssertPlaced(CpusOf(Root(sent)), CpusOf(Root(received)));
    }

    [Theory]
    [InlineData("any")]
    [InlineData(null, "--flows", "2")]
    public async Task Send_AnyCpuOrSeveralThreads_AreFreeToMove(string? cpu, params string[] more)
    {
        using OwnNetwork network = TwoCpus();
        string[] named = cpu is null ? [] : ["--cpu", cpu];

        ToolResult sent = await network.RunAsync(["send", "127.0.0.1:9", .. Load, .. named, .. more]);

        Assert.All(CpusOf(Root(sent)), Assert.Null);
    }

    [Fact]
    public async Task Receive_AnyCpu_IsFreeToMove()
    {
        using OwnNetwork network = TwoCpus();
        await using RunningTool receiver = network.Start([.. Receive("127.0.0.1:0"), "--cpu", "any"]);

        _ = await network.RunAsync(["send", $"127.0.0.1:{await PortOf(receiver)}", .. Load]);

        Assert.Null(Assert.Single(CpusOf(Root(await receiver.FinishAsync()))));
    }

    [Fact]
    public async Task Send_CpuOfAnotherPair_IsLeftToIt()
    {
        using OwnNetwork network = TwoCpus();
        using CpuClaim? claim = network.Enter(static () => CpuClaim.TryTake(Expected(isReceiver: false)));
        Assert.NotNull(claim);

        ToolResult sent = await network.RunAsync(["send", "127.0.0.1:9", .. Load]);

        Assert.Null(Assert.Single(CpusOf(Root(sent))));
    }

    [Fact]
    public async Task Receive_CpuThatTheSenderNamed_IsLeftToIt()
    {
        using OwnNetwork network = TwoCpus();
        await using RunningTool receiver = network.Start(Receive("0.0.0.0:0"));
        string cpu = $"{Expected(isReceiver: true)}";

        ToolResult sent = await network.RunAsync(
            ["send", $"127.0.0.1:{await PortOf(receiver)}", .. Load, "--cpu", cpu]);

        Assert.Equal(Expected(isReceiver: true), Assert.Single(CpusOf(Root(sent))));
        Assert.Null(Assert.Single(CpusOf(Root(await receiver.FinishAsync()))));
    }

    [Theory]
    [InlineData("local", "sent", "remote", "received")]
    [InlineData("remote", "sent", "local", "received", "-R")]
    public async Task Test_OneHost_RunsWhereABenchPlacesTheEnds(
        string sendingEnd, string sent, string receivingEnd, string received, params string[] direction)
    {
        using OwnNetwork network = TwoCpus();
        JsonElement report = await RunTest(network, direction);

        AssertPlaced(
            CpusOf(report.GetProperty(sendingEnd).GetProperty(sent)),
            CpusOf(report.GetProperty(receivingEnd).GetProperty(received)));
    }

    [Fact]
    public async Task Test_CpuThatTheClientNamed_IsLeftToIt()
    {
        using OwnNetwork network = TwoCpus();
        JsonElement report = await RunTest(network, ["--cpu", $"{Expected(isReceiver: true)}"]);

        Assert.Equal(
            Expected(isReceiver: true), Assert.Single(CpusOf(report.GetProperty("local").GetProperty("sent"))));
        AssertFree(report.GetProperty("remote"));
    }

    [Theory]
    [InlineData("--bidir")]
    [InlineData("--flows", "2")]
    public async Task Test_SeveralThreads_AreFreeToMove(params string[] more)
    {
        using OwnNetwork network = TwoCpus();
        JsonElement report = await RunTest(network, more);

        AssertFree(report.GetProperty("local"));
        AssertFree(report.GetProperty("remote"));
    }

    [Fact]
    public async Task Test_ServerWithAnyCpu_IsFreeToMove()
    {
        using OwnNetwork network = TwoCpus();
        JsonElement report = await RunTest(network, [], "--cpu", "any");

        Assert.Equal(
            Expected(isReceiver: false), Assert.Single(CpusOf(report.GetProperty("local").GetProperty("sent"))));
        Assert.Null(Assert.Single(CpusOf(report.GetProperty("remote").GetProperty("received"))));
    }

    [Theory]
    [InlineData("")]
    [InlineData("-R")]
    public async Task Iperf3_OneHost_RunsWhereABenchPlacesTheEnds(string direction)
    {
        using OwnNetwork network = TwoCpus();
        Iperf3Pair pair = await network.RunWithJsonAsync(Iperf3Pairing.SpateToSpate, $"-k 100 -l 64 {direction}");
        JsonElement client = pair.ClientDocument.Exact!.Value.GetProperty("local");
        JsonElement server = pair.ServerDocument.Exact!.Value.GetProperty("local");
        (JsonElement sender, JsonElement receiver) = direction.Length == 0 ? (client, server) : (server, client);

        AssertPlaced(CpusOf(sender.GetProperty("sent")), CpusOf(receiver.GetProperty("received")));
    }

    [Fact]
    public async Task Iperf3_CpuThatTheClientNamed_IsLeftToIt()
    {
        using OwnNetwork network = TwoCpus();
        Iperf3Pair pair = await network.RunWithJsonAsync(
            Iperf3Pairing.SpateToSpate, $"-k 100 -l 64 -A {Expected(isReceiver: true)}");
        JsonElement client = pair.ClientDocument.Exact!.Value.GetProperty("local");

        Assert.Equal(Expected(isReceiver: true), Assert.Single(CpusOf(client.GetProperty("sent"))));
        AssertFree(pair.ServerDocument.Exact!.Value.GetProperty("local"));
    }

    [Theory]
    [InlineData("-P2")]
    [InlineData("--bidir")]
    [InlineData("-A any")]
    public async Task Iperf3_SeveralThreadsOrAnyCpu_AreFreeToMove(string option)
    {
        using OwnNetwork network = TwoCpus();
        Iperf3Pair pair = await network.RunWithJsonAsync(Iperf3Pairing.SpateToSpate, $"-k 100 -l 64 {option}");

        AssertFree(pair.ClientDocument.Exact!.Value.GetProperty("local"));
        if (!option.Contains(CpuChoice.Any, StringComparison.Ordinal))
        {
            AssertFree(pair.ServerDocument.Exact!.Value.GetProperty("local"));
        }
    }

    [Theory]
    [InlineData("127.0.0.1:0", true, "--threads", "1")]
    [InlineData("127.0.0.1:0", false, "--threads", "1", "--cpu", "any")]
    [InlineData("0.0.0.0:0", false, "--threads", "1")]
    [InlineData("127.0.0.1:0", false, "--threads", "2")]
    public async Task Serve_OneThreadOnTheLoopback_RunsWhereABenchPlacesAReceiver(
        string local, bool isPlaced, params string[] options)
    {
        using OwnNetwork network = TwoCpus();

        ToolResult served = await network.RunAsync(
            ["serve", local, .. options, "--seconds", "0.1", "--json", "-"]);

        Assert.All(CpusOf(Root(served)), cpu => Assert.Equal(isPlaced ? Expected(isReceiver: true) : null, cpu));
    }

    [Fact]
    public async Task Find_EndOfAnotherNamespaceWasPrepared_ReadsItsOwnAddresses()
    {
        using OwnNetwork network = TwoCpus();
        network.Namespace.Ip("address add 10.8.8.8/32 dev lo");
        await Task.Run(PeerCpu.Prepare, TestContext.Current.CancellationToken);

        using PeerCpu? found = network.Namespace.Enter(static () => PeerCpu.Find(
            isReceiver: false, [(UdpEndPoint.Any(1), UdpEndPoint.Parse("10.8.8.8:9"))]));

        Assert.NotNull(found);
    }

    private static OwnNetwork TwoCpus()
    {
        Assert.SkipUnless(
            OperatingSystem.IsLinux() && CpuFacts.Read().UsableNumbers.Count > 1, "two CPUs of Linux are needed");
        return OwnNetwork.Required();
    }

    private static int Expected(bool isReceiver)
    {
        (int sender, int receiver) = PeerCpu.Choose(CpuFacts.Read())!.Value;
        return isReceiver ? receiver : sender;
    }

    private static string[] Receive(string local) =>
        ["receive", local, "--count", "100", "--seconds", "60", "--json", "-"];

    private static async Task<int> PortOf(RunningTool receiver) =>
        (await receiver.ReadEndPointAsync("receiving at ")).Port;

    private static async Task<JsonElement> RunTest(
        OwnNetwork network, string[] clientOptions, params string[] serverOptions)
    {
        await using RunningTool server = network.Start(["test", "-s", "127.0.0.1:0", "--once", .. serverOptions]);
        int port = (await server.ReadEndPointAsync("waiting for tests at ")).Port;

        ToolResult result = await network.RunAsync(["test", "-c", $"127.0.0.1:{port}", .. Load, .. clientOptions]);

        _ = await server.FinishAsync();
        return Root(result);
    }

    private static JsonElement Root(ToolResult result)
    {
        Assert.True(result.ExitCode == 0, result.ToString());
        using var report = JsonDocument.Parse(result.Output);
        return report.RootElement.Clone();
    }

    private static int?[] CpusOf(JsonElement report)
    {
        int?[] cpus =
        [
            .. report.GetProperty("threads").EnumerateArray()
                .Select(static thread => thread.GetProperty("cpu"))
                .Select(static cpu => cpu.ValueKind == JsonValueKind.Null ? (int?)null : cpu.GetInt32()),
        ];
        Assert.NotEmpty(cpus);
        return cpus;
    }

    private static void AssertFree(JsonElement end)
    {
        JsonElement[] ways =
        [
            .. ((string[])["sent", "received"]).Select(end.GetProperty)
                .Where(static way => way.ValueKind != JsonValueKind.Null),
        ];
        Assert.NotEmpty(ways);
        Assert.All(ways.SelectMany(CpusOf), Assert.Null);
    }

    private static void AssertPlaced(int?[] sender, int?[] receiver)
    {
        Assert.Equal(Expected(isReceiver: false), Assert.Single(sender));
        Assert.Equal(Expected(isReceiver: true), Assert.Single(receiver));
        Assert.NotEqual(Assert.Single(sender), Assert.Single(receiver));
    }
}
