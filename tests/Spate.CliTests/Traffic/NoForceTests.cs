using System.Text.Json;
using Spate.HostTuning.Reading;

namespace Spate.CliTests.Traffic;

/// <summary>As root a forced buffer hides what a limit costs its users.</summary>
public sealed class NoForceTests
{
    [Theory]
    [InlineData("receive 127.0.0.1:0")]
    [InlineData("serve 127.0.0.1:0 --threads 1")]
    public async Task NoForce_MoreThanTheLimit_GetsTheLimit(string command)
    {
        long? limit = BufferLimits.Read().ReceiveMaximumBytes;
        Assert.SkipUnless(limit is < int.MaxValue / 4, "no limit of receive buffers is shown here, or it is too large");

        ToolResult result = await Tool.RunAsync(
        [
            .. command.Split(' '), "--no-force", "--buffer", $"{2 * limit}", "--seconds", "0.1", "--interval", "0",
            "--json", "-",
        ]);

        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal(limit, report.RootElement.GetProperty("bufferGrantedBytes").GetInt64());
    }
}
