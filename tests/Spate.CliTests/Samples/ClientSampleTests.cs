using System.Diagnostics;

namespace Spate.CliTests.Samples;

/// <summary>The clients as programs, each against its server.</summary>
public sealed class ClientSampleTests
{
    [Theory]
    [InlineData("DnsResponder", "dns", "www.example.test 192.0.2.2\nno NoSuchName\n", "www.example.test", "no")]
    [InlineData("GameServer", "game", "joined as player 1\n")]
    [InlineData("StatsdCollector", "statsd", "5000 lines acknowledged, 0 lost\n", "5000")]
    public async Task Client_OfEachServer_EndsWell(
        string server, string client, string output, params string[] arguments)
    {
        TestWidth.SkipUnlessLongOr(client is "dns", RunningSample.WholeProgram);
        await using RunningSample sample = await RunningSample.StartAsync(server);

        ToolResult result = await RunAsync([client, $"{sample.EndPoint.Port}", .. arguments]);

        Assert.Equal((0, output, ""), (result.ExitCode, result.Output.ReplaceLineEndings("\n"), result.Error));
    }

    [Theory]
    [InlineData]
    [InlineData("dns", "53")]
    [InlineData("game", "port")]
    [InlineData("statsd", "8125", "-1")]
    public async Task Client_WrongArguments_SaysWhatIsExpected(params string[] arguments)
    {
        TestWidth.SkipUnlessLongOr(arguments.Length == 0, RunningSample.WholeProgram);

        ToolResult result = await RunAsync(arguments);

        Assert.Equal(2, result.ExitCode);
        Assert.StartsWith("expected: dns PORT NAME..., ", result.Error, StringComparison.Ordinal);
    }

    private static async Task<ToolResult> RunAsync(string[] arguments)
    {
        using Process process = ToolProcess.Start(RunningSample.StartInfo("Clients", arguments));
        return await ToolProcess.FinishAsync(process);
    }
}
