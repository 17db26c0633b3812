namespace Spate.CliTests.Watch;

/// <summary><c>spate watch</c> on this host, whose counters others move too.</summary>
public sealed class WatchCommandTests
{
    [Fact]
    public async Task Watch_JsonToAFile_LeavesItWholeAtTheEnd()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "its counters are Linux's");
        string folder = Directory.CreateTempSubdirectory("spate-watch-").FullName;
        try
        {
            string path = Path.Combine(folder, "w.json");

            ToolResult result = await Tool.RunAsync("watch", "--count", "2", "--interval", "0.1", "--json", path);

            Assert.Equal(0, result.ExitCode);
            Assert.Equal(3, (await WatchReports.ReadAsync(path)).Length);
            Assert.Single(Directory.GetFiles(folder));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task Watch_JsonToStdout_IsOneObjectALineAndTheTextGoesToStderr()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "its counters are Linux's");

        ToolResult result = await Tool.RunAsync("watch", "--count", "2", "--interval", "0.1", "--json", "-");

        Assert.Equal(0, result.ExitCode);
        Assert.Equal([1, 2, null], WatchReports.Intervals(WatchReports.Parse(result.Output)));
        Assert.Matches(@"(^|\n)watched for \d", result.Error);
    }

    [Fact]
    public async Task Watch_Stopped_EndsItWithTheSummary()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "its counters are Linux's");
        await using RunningTool tool = Tool.Start("watch", "--interval", "0.1");
        Assert.NotNull(await tool.ReadOutputLineAsync());

        tool.Stop();
        ToolResult result = await tool.FinishAsync();

        Assert.Equal(0, result.ExitCode);
        Assert.Matches(@"\nwatched for \d", result.Output);
    }

    [Theory]
    [InlineData("--interval 'x'", "--interval", "x")]
    [InlineData("--interval '0.01'", "--interval", "0.01")]
    [InlineData("--interface 'none0'", "--interface", "none0")]
    [InlineData("--profile '2g'", "--profile", "2g")]
    [InlineData("--count '0'", "--count", "0")]
    [InlineData("--interval 0 has none", "--interval", "0", "--count", "3")]
    [InlineData("problem' is wrong", "--fail-if", "problem")]
    public async Task Watch_WrongUse_IsOneLine(string expected, params string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(["watch", .. arguments]);

        Assert.Equal((2, ""), (result.ExitCode, result.Output));
        Assert.Contains(expected, Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }
}
