using System.Text.Json;

namespace Spate.CliTests.Doctor;

public sealed class DoctorCommandTests
{
    private static readonly string[] Quick = ["--seconds", "0.1"];

    [Fact]
    public async Task Doctor_Json_HoldsEveryFieldAndTheWorstFirst()
    {
        ToolResult result = await Tool.RunAsync(["doctor", .. Quick, "--json", "-"]);

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        using JsonDocument document = JsonDocument.Parse(result.Output);
        JsonElement root = document.RootElement;
        Assert.Equal("doctor", root.GetProperty("kind").GetString());
        Assert.All(
            ["spateVersion", "kernel", "profile", "interfaces", "seconds", "problems", "advices", "leftOut"],
            field => Assert.True(root.TryGetProperty(field, out _), field));
        JsonElement[] checks = [.. root.GetProperty("checks").EnumerateArray()];
        Assert.All(checks, static check => Assert.All(
            ["id", "status", "found", "wanted", "reason", "command", "undo"],
            field => Assert.True(check.TryGetProperty(field, out _), field)));
        string[] order = ["problem", "advice", "unknown", "ok"];
        int[] ranks = [.. checks.Select(check => Array.IndexOf(order, check.GetProperty("status").GetString()))];
        Assert.Equal(ranks.Order(), ranks);
        Assert.Equal(ranks.Count(static one => one == 0), root.GetProperty("problems").GetInt32());
    }

    [Fact]
    public async Task Doctor_Text_EndsWithASummaryAndWhatToDoFirst()
    {
        ToolResult result = await Tool.RunAsync(["doctor", .. Quick]);

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.DoesNotContain('\u001b', result.Output);
        Assert.Matches(@"\A[^\n]*, profile \S+, interfaces: [^\n]*, counters watched for 0\.\d s\n", result.Output);
        Assert.Matches(@"\n\d+ problems?, \d+ advised, \d+ unknown, \d+ ok; --all shows every check", result.Output);
        Assert.Matches("\n(Do this first, as root|Look at this first|No limit of UDP found)", result.Output);
        Assert.DoesNotContain("\nok: ", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Doctor_All_ShowsWhatIsWellToo()
    {
        ToolResult result = await Tool.RunAsync(["doctor", .. Quick, "--all"]);

        Assert.Equal(0, result.ExitCode);
        Assert.All(
            ["steal", "cpu-quota", "mitigations", "clock-source", "rmem-max"],
            id => Assert.Matches($"\n(ok|unknown|advice|problem): {id}", result.Output));
    }

    [Theory]
    [InlineData("problems < 0", false)]
    [InlineData("problems >= 0", true)]
    public async Task Doctor_FailIf_DecidesTheExitCode(string condition, bool fails)
    {
        ToolResult result = await Tool.RunAsync(["doctor", .. Quick, "--fail-if", condition]);

        Assert.Equal(fails, result.ExitCode != 0);
        Assert.Equal(fails, result.Error.Contains("check failed", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("--profile", "5g", "expected 1g, 10g, 40g, 100g, latency")]
    [InlineData("--interface", "none0", "an interface of this host")]
    [InlineData("--seconds", "0", "seconds from 0.1")]
    [InlineData("--seconds", "100000", "seconds from 0.1 to 86400")]
    [InlineData("--target", "239.1.2.3", "expected one host")]
    [InlineData("--target", "0.0.0.0", "expected one host")]
    [InlineData("--target", "255.255.255.255", "expected one host")]
    [InlineData("--target", "", "is not a host")]
    [InlineData("--target", "a b", "is not a host")]
    public async Task Doctor_WrongOption_IsOneLine(string option, string value, string expected)
    {
        ToolResult result = await Tool.RunAsync("doctor", option, value);

        Assert.NotEqual(0, result.ExitCode);
        Assert.Empty(result.Output);
        Assert.Contains(expected, result.ErrorLines[0], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Doctor_Interrupted_PrintsWhatItHasSeen()
    {
        await using RunningTool tool = Tool.Start("doctor", "--seconds", "600");
        Assert.Equal(
            "spate: watching the counters for 600 s; Ctrl-C ends this early", await tool.ReadErrorLineAsync());

        tool.Stop();
        ToolResult result = await tool.FinishAsync();

        Assert.Equal(0, result.ExitCode);
        Assert.Matches(@"\n\d+ problems?, \d+ advised", result.Output);
    }
}
