namespace Spate.CliTests.Bench;

/// <summary>
/// The longest time for <c>spate bench drain</c>, alone: traffic of other tests on the loopback takes the places of its
/// datagrams.
/// </summary>
[QuietHost("traffic of others takes the places of its datagrams")]
public sealed class BenchYearTests
{
    [Fact]
    public async Task Drain_SecondsOfAYear_Runs()
    {
        TestWidth.SkipUnlessLong("FailIf_EveryRunner shows the table of a shorter bench drain");
        ToolResult result = await Tool.RunAsync("bench", "drain", "--seconds", "31536000", "--size", "64");

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains("64 bytes, nanoseconds per datagram", result.Output, StringComparison.Ordinal);
    }
}
