namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>
/// What clients of the real program meet at <c>spate iperf3 -s</c> when they are not alone, or ask too much.
/// </summary>
public sealed class Iperf3ServiceTests(OwnNetwork network) : IClassFixture<OwnNetwork>
{
    private const string Short = "-k 20 -b 20M -l 1400";

    // It is ended by the test.
    private const string Long = "-t 60 -b 1M -l 1400";

    private const string TooFast = "total required bandwidth is larger than server limit";
    private const string Busy = "the server is busy running a test. try again later";

    public static TheoryData<string, string, string> Refusals { get; } = new()
    {
        { "--server-bitrate-limit 5M", "-b 6M -t 5", TooFast },
        { "--server-bitrate-limit 5M", "-b 2M -P 3 -t 5", TooFast },
        { "--server-bitrate-limit 5M", "-b 3M --bidir -t 5", TooFast },
        { "--server-bitrate-limit 5M/0.2", "-b 0 -t 20 -l 1400", TooFast },
        { "--server-bitrate-limit 5M/0.2", "-R -b 0 -t 20 -l 1400", TooFast },
        { "--rcv-timeout 100", "-k 2 -b 10 -l 1400", "idle timeout for receiving data" },
    };

    [Theory, MemberData(nameof(Refusals))]
    public async Task Refused_RealClient_PrintsItsSentenceAndTheServerGoesOn(
        string serverOptions, string clientOptions, string sentence)
    {
        await using Server server = Server.Start(network, serverOptions);

        ToolResult refused = await server.RunRealAsync(clientOptions);
        ToolResult next = await server.RunRealAsync("-k 5 -b 1M -l 1400");

        Assert.Equal(1, refused.ExitCode);
        Assert.Contains(sentence, refused.Error, StringComparison.Ordinal);
        Assert.True(next.ExitCode == 0, $"{next}");
    }

    [Fact]
    public async Task Refused_SpateClient_IsOneLine()
    {
        await using Server server = Server.Start(network, "--server-bitrate-limit 5M");
        await using Iperf3End client = server.Connect(Iperf3Pairing.SpateToSpate, "-b 6M");

        ToolResult refused = await client.Result;

        Assert.Equal(3, refused.ExitCode);
        Assert.Contains("above the server's limit", Assert.Single(refused.ErrorLines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task MaxDuration_LongerTest_IsRefused()
    {
        await using Server server = Server.Start(network, "--server-max-duration 5");

        ToolResult refused = await server.RunRealAsync("-t 6 -b 1M");

        // iperf3 3.12 has no words for the number, which is younger.
        Assert.Equal(1, refused.ExitCode);
        Assert.Contains("int_errno=37", refused.Error, StringComparison.Ordinal);
        await server.Spate.ReadErrorLineWithAsync("6 s were requested, but the limit is 5 s");
    }

    [Theory]
    [InlineData("")]
    [InlineData("--sctp")]
    public async Task OtherProtocol_RealClient_PrintsASentenceAndTheServerGoesOn(string options)
    {
        int port = OwnNetwork.TakePort();
        await using Iperf3End server = network.StartServer(Iperf3Pairing.RealToSpate, port, "");
        string[] words = options.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        Iperf3End.RequireReal();
        await using Iperf3End tcp = network.Enter(
            () => Iperf3End.StartReal(["-c", "127.0.0.1", "-p", $"{port}", "-t", "5", .. words]));
        ToolResult refused = await tcp.Result;
        await using Iperf3End udp = network.StartClient(Iperf3Pairing.RealToSpate, port, Short);
        ToolResult next = await udp.Result;

        // A system without SCTP says so itself, in the same words.
        Assert.Equal(1, refused.ExitCode);
        Assert.Contains("protocol", refused.Error, StringComparison.OrdinalIgnoreCase);
        Assert.True(next.ExitCode == 0, $"{next}");
    }

    [Theory, InlineData(Iperf3Pairing.RealToSpate), InlineData(Iperf3Pairing.SpateToReal)]
    [InlineData(Iperf3Pairing.SpateToSpate)]
    public async Task Busy_SecondClient_IsTold(Iperf3Pairing pairing)
    {
        int port = OwnNetwork.TakePort();
        await using Iperf3End server = network.StartServer(pairing, port, "--forceflush");
        Iperf3Pairing firstPairing = pairing is Iperf3Pairing.RealToSpate ? Iperf3Pairing.SpateToSpate : pairing;
        await using Iperf3End first = network.StartClient(firstPairing, port, Long);
        await first.Spate.ReadOutputLineWithAsync("connected to");
        await using Iperf3End second = network.StartClient(pairing, port, Short);

        ToolResult refused = await second.Result;

        Assert.NotEqual(0, refused.ExitCode);
        Assert.Contains(Busy, Assert.Single(refused.ErrorLines), StringComparison.Ordinal);
        Assert.False(first.Result.IsCompleted);
    }

    [Fact]
    public async Task InARow_RealClients_NeverFindTheServerBusy()
    {
        await using Server server = Server.Start(network, "");
        for (int i = 0; i < 10; i++)
        {
            ToolResult client = await server.RunRealAsync("-k 3 -b 20M -l 1400");
            Assert.True(client.ExitCode == 0, $"client {i}: {client}");
        }
    }

    [Fact]
    public async Task Queue_SecondClient_WaitsAndRuns()
    {
        await using Server server = Server.Start(network, "--queue 1");
        await using Iperf3End first = server.Connect(Iperf3Pairing.RealToSpate, "-t 1 -b 1M -l 1400");
        await server.Spate.ReadOutputLineWithAsync("Accepted connection");
        await using Iperf3End second = server.Connect(Iperf3Pairing.RealToSpate, Short);

        ToolResult[] results = await Task.WhenAll(first.Result, second.Result);

        Assert.All(results, static result => Assert.True(result.ExitCode == 0, $"{result}"));
        await server.Spate.ReadOutputLineWithAsync("Server listening on " + server.Port + " (test #3)");
    }

    [Fact]
    public async Task ParallelTests_TwoClientsOfOneAddress_RunAtOnce()
    {
        await using Server server = Server.Start(network, "--parallel-tests 2");
        await using Iperf3End first = server.Connect(Iperf3Pairing.RealToSpate, Long);
        await server.Spate.ReadOutputLineWithAsync("test 1: Accepted connection");

        ToolResult second = await server.RunRealAsync(Short);

        Assert.True(second.ExitCode == 0, $"{second}");
        Assert.False(first.Result.IsCompleted);
        Assert.Contains("0/20 (0%)", second.Output, StringComparison.Ordinal);
        await using Iperf3End third = server.Connect(Iperf3Pairing.SpateToSpate, Long);
        await server.Spate.ReadOutputLineWithAsync("test 3: Accepted connection");
        ToolResult refused = await server.RunRealAsync(Short);
        Assert.Contains(Busy, refused.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Killed_RealClient_LeavesTheServerToTheNext()
    {
        await using Server server = Server.Start(network, "");
        await using Iperf3End first = server.Connect(Iperf3Pairing.RealToSpate, "-R " + Long);
        await server.Spate.ReadOutputLineWithAsync("Accepted connection");
        await first.StopAsync();
        await server.Spate.ReadOutputLineWithAsync("(test #2)");

        ToolResult next = await server.RunRealAsync(Short);

        Assert.True(next.ExitCode == 0, $"{next}");
    }

    [Fact]
    public async Task IdleTimeout_NoClient_Ends()
    {
        await using Server server = Server.Start(network, "--idle-timeout 1");

        ToolResult result = await server.End.Result;

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("no test for 1 s", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("-J")]
    [InlineData("--json-stream")]
    public async Task NoServer_Client_SaysSoInOneLine(string options)
    {
        await using Iperf3End client = network.StartClient(
            Iperf3Pairing.SpateToSpate, OwnNetwork.TakePort(), options);

        ToolResult result = await client.Result;

        Assert.Equal(3, result.ExitCode);
        Assert.Contains("refused", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
        Assert.Equal(options.Length > 0, result.Output.Contains("\"error\"", StringComparison.Ordinal));
    }

    [Fact]
    public async Task BusyPort_SecondServer_SaysSoInOneLine()
    {
        await using Server server = Server.Start(network, "");
        await using Iperf3End second = network.StartServer(Iperf3Pairing.SpateToSpate, server.Port, "");

        ToolResult result = await second.Result;

        Assert.Equal(3, result.ExitCode);
        Assert.StartsWith(
            $"spate: port {server.Port} is in use at [::]:{server.Port}: end the other server,",
            Assert.Single(result.ErrorLines),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("-s")]
    [InlineData("-c 127.0.0.1 -u")]
    public async Task ForeignAddress_EitherRole_IsNamed(string role)
    {
        await using Iperf3End end = Iperf3End.StartSpate([.. role.Split(' '), "-B", "192.0.2.77"]);

        ToolResult result = await end.Result;

        Assert.Equal(3, result.ExitCode);
        Assert.Equal(
            "spate: 192.0.2.77 is not an address of this machine: use one that is, or leave -B out "
            + "(spate explain no-such-address-no-permission-no-such-interface)",
            Assert.Single(result.ErrorLines));
    }

    [Fact]
    public async Task Stop_DuringATest_AnnouncesNoNextOne()
    {
        await using Server server = Server.Start(network, "");
        await using Iperf3End client = server.Connect(Iperf3Pairing.SpateToSpate, Long);
        await server.Spate.ReadOutputLineWithAsync("Accepted connection");

        ToolResult stopped = await server.End.StopAsync();

        Assert.DoesNotContain("(test #2)", stopped.Output, StringComparison.Ordinal);
        Assert.Contains("the server has terminated", (await client.Result).Error, StringComparison.Ordinal);
    }

    /// <summary>A server of ours that serves many.</summary>
    private sealed class Server(OwnNetwork network, Iperf3End end, int port) : IAsyncDisposable
    {
        public Iperf3End End => end;

        public RunningTool Spate => end.Spate;

        public int Port => port;

        public static Server Start(OwnNetwork network, string options)
        {
            int port = OwnNetwork.TakePort();
            return new Server(network, network.StartServer(Iperf3Pairing.RealToSpate, port, options), port);
        }

        public Iperf3End Connect(Iperf3Pairing pairing, string options) => network.StartClient(pairing, port, options);

        public async Task<ToolResult> RunRealAsync(string options)
        {
            await using Iperf3End client = Connect(Iperf3Pairing.RealToSpate, options);
            return await client.Result;
        }

        public ValueTask DisposeAsync() => end.DisposeAsync();
    }
}
