using System.Text.Json;

namespace Spate.CliTests.Gateway;

/// <summary>What needs no broker: wrong use, and <c>--to null:</c>.</summary>
public sealed class GatewayUseTests
{
    [Theory]
    [InlineData(2, "--to is missing")]
    [InlineData(2, "a user or a password", "--to", "amqp://me:pw@host/v", "--stream", "s")]
    [InlineData(2, "the destination is missing", "--to", "amqp://localhost")]
    [InlineData(2, "exclude each other", "--to", "amqp://localhost", "--stream", "s", "--queue", "q")]
    [InlineData(2, "--ca has no effect", "--to", "amqp://localhost", "--stream", "s", "--ca", "ca.pem")]
    [InlineData(2, "--max-length has no effect", "--to", "null:", "--max-length", "2G")]
    [InlineData(2, "--partition-by has no effect", "--to", "null:", "--partition-by", "peer")]
    [InlineData(2, "--allow '10.0.0.1/33' is wrong", "--to", "null:", "--allow", "10.0.0.1/33")]
    [InlineData(2, "null: has nothing", "read", "--from", "null:", "--stream", "s")]
    [InlineData(3, "a password is required", "--to", "amqp://broker.invalid", "--stream", "s")]
    public async Task Gateway_WrongUse_IsOneLine(int exitCode, string expected, params string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(["gateway", .. arguments]);

        Assert.Equal(exitCode, result.ExitCode);
        Assert.Contains(expected, Assert.Single(result.ErrorLines), StringComparison.Ordinal);
        Assert.DoesNotContain("pw", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Gateway_NobodyListens_GivesUpInOneLine()
    {
        int port = FreePorts.Find(1)[0];
        ToolResult result = await Tool.RunAsync(
            "gateway", "127.0.0.1:0", "--to", $"amqp://127.0.0.1:{port}", "--stream", "s", "--connect-timeout", "1");

        Assert.Equal(3, result.ExitCode);
        Assert.Contains("no program listens on its port", result.ErrorLines[^1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Gateway_ToNull_AccountIsEven()
    {
        ToolResult result = await Tool.RunAsync(
            "gateway", "127.0.0.1:0", "--to", "null:", "--threads", "1", "--seconds", "0.2", "--json", "-");

        Assert.Equal(0, result.ExitCode);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal("gateway", report.RootElement.GetProperty("kind").GetString());
        Assert.Equal(0, report.RootElement.GetProperty("difference").GetInt64());
        Assert.Contains("accepted 0 = committed 0", result.Error, StringComparison.Ordinal);
    }
}
