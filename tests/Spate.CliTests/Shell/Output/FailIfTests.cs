using System.CommandLine;
using System.Text.Json;
using System.Text.RegularExpressions;
using Spate.Cli;
using Spate.Cli.Shell.Output;
using Spate.CliTests.Test;

namespace Spate.CliTests.Shell.Output;

public sealed partial class FailIfTests
{
    private const string Bench = "drain";

    public static TheoryData<string, string> Commands { get; } = new()
    {
        { "info", "info" },
        { "send", "send 127.0.0.1:9 --count 10 --interval 0" },
        { "receive", "receive 127.0.0.1:0 --seconds 0.01 --interval 0" },
        { "serve", "serve 127.0.0.1:0 --threads 1 --seconds 0.01 --interval 0" },
        { "bench", "bench" },
        { Bench, "bench drain --size 64 --seconds 5" },
        { "sessions", "bench sessions" },
        { "sockets", "bench sockets" },
        { "pingpong", "bench pingpong" },
        { "relay", "bench relay" },
        { "designs", "bench designs" },
    };

    // All benches end in one method, BenchRunner.Run.
    public static TheoryData<string, string> Runs { get; } = new(Commands
        .Select(static row => row.Data)
        .Where(static row => row.Item1 is Bench || !row.Item2.StartsWith("bench", StringComparison.Ordinal)));

    [Theory, MemberData(nameof(Runs))]
    public async Task FailIf_EveryRunner_WritesTheReportAndExitsWithOne(string kind, string command)
    {
        string path = Path.GetTempFileName();
        try
        {
            ToolResult result = await Tool.RunAsync(
            [
                .. command.Split(' '), "--json", path,
                "--fail-if", $"kind == {kind}", "--fail-if", $"schema != 'spate/1'",
            ]);

            Assert.True(result.ExitCode == 1, result.Error);
            Assert.Single(
                result.ErrorLines, line => line.Equals(
                    $"spate: check failed: kind == {kind}: kind is \"{kind}\"", StringComparison.Ordinal));
            Assert.DoesNotContain("schema", result.Error, StringComparison.Ordinal);
            using JsonDocument report = JsonDocument.Parse(await File.ReadAllTextAsync(
                path, TestContext.Current.CancellationToken));
            Assert.Equal(kind, report.RootElement.GetProperty("kind").GetString());
            if (kind is Bench) AssertTable(result.Output, report.RootElement.GetProperty("rows"));
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void FailIf_PageOfTheOption_NamesEveryCommandThatHasIt()
    {
        string page = File.ReadAllText(Path.Combine(RepositoryTop.Path, "docs/measure/reports.md"));
        string list = OptionList().Match(page).Value;

        string[] commands = [.. WithOption(SpateCommand.Create(Silent()), prefix: "")];
        Assert.NotEmpty(commands);
        Assert.Equal(
            commands.Where(static name => !name.StartsWith("bench ", StringComparison.Ordinal))
                .Order(StringComparer.Ordinal),
            CommandName().Matches(list).Select(static one => one.Groups["name"].Value)
                .Order(StringComparer.Ordinal));
    }

    [Theory, MemberData(nameof(Commands))]
    public async Task FailIf_UnknownName_IsWrongUseBeforeTheRun(string kind, string command)
    {
        // The example of the help comes first, so it is a condition that the command takes.
        ToolResult result = await Tool.RunAsync(
        [
            .. command.Split(' '), "--fail-if", await ReadExampleAsync(command), "--fail-if", "kindd == " + kind,
        ]);

        string line = Assert.Single(result.ErrorLines);
        Assert.StartsWith($"spate: --fail-if 'kindd == {kind}' is wrong: ", line, StringComparison.Ordinal);
        Assert.Matches("the nearest name(s are| is) kind(,|$)", line);
        Assert.Equal(2, result.ExitCode);
        Assert.Empty(result.Output);
    }

    [Fact]
    public async Task FailIf_LossOfAnyCommandOfTraffic_HasOneName()
    {
        string[] condition = ["--fail-if", "lostPercent > 0.1"];
        await using RunningTestServer server = await RunningTestServer.StartAsync();

        ToolResult sent = await Tool.RunAsync(["send", "127.0.0.1:9", "--count", "10", .. condition]);
        ToolResult received = await Tool.RunAsync(["receive", "127.0.0.1:0", "--seconds", "0.01", .. condition]);
        string[] test = ["test", "-c", server.EndPoint, "--bidir", "--count", "100", "--rate", "10k"];
        ToolResult tested = await Tool.RunAsync([.. test, .. condition]);
        ToolResult totals = await Tool.RunAsync(
        [
            .. test, "--fail-if", "lostPercent == 0", "--fail-if", "datagrams == 200", "--fail-if", "unexplained > 0",
        ]);

        // A sender does not know its loss, and a check that did not see the value has shown nothing.
        Assert.Equal((1, 0, 0), (sent.ExitCode, received.ExitCode, tested.ExitCode));
        Assert.Contains("lostPercent is null", sent.Error, StringComparison.Ordinal);
        Assert.Contains("both directions: lost 0 (0 %), 0 unexplained", tested.Output, StringComparison.Ordinal);
        Assert.Equal(1, totals.ExitCode);
        Assert.Contains("lostPercent is 0", totals.Error, StringComparison.Ordinal);
        Assert.Contains("datagrams is 200", totals.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("unexplained", totals.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task FailIf_ConditionThatDoesNotHold_IsDone()
    {
        ToolResult result = await Tool.RunAsync("info", "--json", "-", "--fail-if", "cpus.onlineCount < 1");

        Assert.Equal(0, result.ExitCode);
        Assert.Empty(result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
    }

    [Fact]
    public async Task FailIf_UnknownValue_FailsTheCheck()
    {
        ToolResult result = await Tool.RunAsync(
            "send", "127.0.0.1:9", "--count", "1", "--interval", "0", "--fail-if", "lostPercent > 1");

        Assert.Equal(1, result.ExitCode);
        Assert.EndsWith(
            "check failed: lostPercent > 1: lostPercent is null, which cannot be compared, so the check fails",
            result.ErrorLines[^1],
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task FailIf_ControlCharacters_AreEscaped()
    {
        ToolResult result = await Tool.RunAsync("info", "--fail-if", "ba\u001b[31m == 1", "--fail-if", "backend == 1");

        string line = Assert.Single(result.ErrorLines);
        Assert.DoesNotContain('\u001b', line);
        Assert.Contains(@"ba\u001b[31m", line, StringComparison.Ordinal);
        Assert.Equal(2, result.ExitCode);
    }

    [Fact]
    public async Task FailIf_TooManyConditions_IsWrongUse()
    {
        string[] conditions = [.. Enumerable.Repeat((string[])["--fail-if", "backend == null"], 65).SelectMany(x => x)];

        ToolResult result = await Tool.RunAsync(["info", .. conditions]);

        Assert.Equal("spate: --fail-if is given 65 times: expected at most 64", Assert.Single(result.ErrorLines));
        Assert.Equal(2, result.ExitCode);
    }

    private static void AssertTable(string output, JsonElement rows)
    {
        string[] lines = output.Split('\n');
        int title = Array.IndexOf(lines, "64 bytes, nanoseconds per datagram");
        Assert.True(title > 0, output);
        Assert.Matches("^row +receive ns +spread % +send ns +spread %$", lines[title + 1]);
        string[] names = [.. rows.EnumerateArray().Select(static row => row.GetProperty("name").GetString()!)];
        Assert.NotEmpty(names);
        Assert.Equal(
            names, lines.Skip(title + 2).Take(names.Length).Select(static line => line.Split(' ')[0]),
            StringComparer.Ordinal);
    }

    private static Streams Silent() => new() { Output = TextWriter.Null, Error = TextWriter.Null };

    private static IEnumerable<string> WithOption(Command parent, string prefix)
    {
        foreach (Command command in parent.Subcommands)
        {
            string name = prefix + command.Name;
            if (command.Options.Any(static option => option.Name is "--fail-if")) yield return name;
            foreach (string inner in WithOption(command, name + " ")) yield return inner;
        }
    }

    private static async Task<string> ReadExampleAsync(string command)
    {
        string[] words = command.Split(' ');
        string[] path = words is ["bench", _, ..] ? words[..2] : words[..1];
        ToolResult help = await Tool.RunAsync([.. path, "--help"]);
        return Example().Match(help.Output.ReplaceLineEndings(" ")).Groups["example"].Value;
    }

    [GeneratedRegex("Every command [^:]*:.*?subcommands", RegexOptions.Singleline, 1000)]
    private static partial Regex OptionList();

    [GeneratedRegex("`(?<name>[a-z]+( [a-z]+)?)( -c)?`", RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex CommandName();

    [GeneratedRegex("  spate .* --fail-if '(?<example>[^']+)'", RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex Example();
}
