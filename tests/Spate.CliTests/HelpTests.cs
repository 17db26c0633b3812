namespace Spate.CliTests;

public sealed class HelpTests
{
    [Theory]
    [InlineData("--help")]
    [InlineData("send", "--help")]
    [InlineData("receive", "-h")]
    [InlineData("serve", "--help")]
    [InlineData("test", "--help")]
    [InlineData("iperf3", "--help")]
    [InlineData("info", "--help")]
    [InlineData("doctor", "--help")]
    [InlineData("explain", "--help")]
    [InlineData("tune", "--help")]
    [InlineData("watch", "--help")]
    [InlineData("man", "--help")]
    [InlineData("completion", "--help")]
    [InlineData("bench", "--help")]
    [InlineData("bench", "drain", "--help")]
    [InlineData("bench", "sessions", "--help")]
    [InlineData("bench", "sockets", "--help")]
    [InlineData("bench", "pingpong", "--help")]
    [InlineData("bench", "relay", "--help")]
    [InlineData("bench", "designs", "--help")]
    public async Task Help_AnyCommand_ShowsUsageAndExamples(params string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(arguments);

        Assert.Equal(0, result.ExitCode);
        Assert.Empty(result.Error);
        Assert.Contains("Usage:", result.Output, StringComparison.Ordinal);
        Assert.InRange(ExampleCount(result.Output), 2, 5);
        Assert.DoesNotContain('\u001b', result.Output);
    }

    [Fact]
    public async Task NoArguments_ShowsHelp()
    {
        ToolResult result = await Tool.RunAsync();

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("Commands:", result.Output, StringComparison.Ordinal);
        Assert.Contains("  iperf3 ", result.Output, StringComparison.Ordinal);
        Assert.Contains("Exit codes:", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Version_IsOneLineOfNumbers()
    {
        ToolResult result = await Tool.RunAsync("--version");

        Assert.Equal(0, result.ExitCode);
        Assert.Matches(@"^\d+\.\d+\.\d+[^\n]*\n$", result.Output);
    }

    private static int ExampleCount(string output) => output[output.IndexOf("Examples:", StringComparison.Ordinal)..]
        .Split('\n')
        .Count(static line => line.StartsWith("  spate ", StringComparison.Ordinal)
            || line.StartsWith("  sudo spate ", StringComparison.Ordinal));
}
