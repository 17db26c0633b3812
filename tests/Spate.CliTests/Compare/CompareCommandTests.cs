using System.Diagnostics;
using System.Text.Json;

namespace Spate.CliTests.Compare;

public sealed class CompareCommandTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory();

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Compare_TwoFiles_SaysWhatIsWorseAndFailsTheCheck()
    {
        string a = Write("a.json", "100, 101, 99, 100.5, 99.5");
        string b = Write("b.json", "120, 121, 119, 120.5, 119.5");

        ToolResult result = await Tool.RunAsync("compare", "--fail-if", "worse > 0", a, "--", b);

        Assert.Equal(1, result.ExitCode);
        Assert.Contains(
            "of 1 figure, B is better in 0 and worse in 1; no difference is shown in 0. Samples: rounds.",
            result.Output,
            StringComparison.Ordinal);
        Assert.Contains("+20.0", result.Output, StringComparison.Ordinal);
        Assert.Contains("check failed: worse > 0: worse is 1", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Compare_SeveralFilesASide_HasAReportForPrograms()
    {
        string[] a = [.. Enumerable.Range(0, 5).Select(i => Write($"a{i}.json", $"{100 + i}"))];
        string[] b = [.. Enumerable.Range(0, 6).Select(i => Write($"b{i}.json", $"{100 + i}"))];

        ToolResult result = await Tool.RunAsync(["compare", "--json", "-", .. a, "--", .. b]);

        Assert.Equal(0, result.ExitCode);
        using JsonDocument json = JsonDocument.Parse(result.Output);
        JsonElement row = json.RootElement.GetProperty("rows")[0];
        Assert.Equal("no difference shown", row.GetProperty("verdict").GetString());
        Assert.Equal((5, 6), (row.GetProperty("samplesA").GetInt32(), row.GetProperty("samplesB").GetInt32()));
        Assert.Equal(a[0], json.RootElement.GetProperty("a").GetProperty("sources")[0].GetString());
    }

    [Fact]
    public async Task Compare_Repeat_RunsBothCommandsAndComparesThem()
    {
        const string Command = "receive 127.0.0.1:0 --seconds 0.01 --interval 0";

        // Each run starts the tool as the process that compares.
        ProcessCount.Add(2);
        ToolResult result = await ToolProcess.RunAsync(
            "compare", "--repeat", "1", "--seed", "7", "--json", "-", Command, "--", "spate " + Command);

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains("1 run per side, in random order (--seed 7)", result.Error, StringComparison.Ordinal);
        using JsonDocument json = JsonDocument.Parse(result.Output);
        Assert.Equal("receive", json.RootElement.GetProperty("comparedKind").GetString());
        Assert.Equal(1, json.RootElement.GetProperty("a").GetProperty("reports").GetInt32());
    }

    [Fact]
    public async Task Compare_RepeatWithARunThatFails_ShowsThePairsBeforeAndFails()
    {
        Assert.SkipUnless(File.Exists("/bin/sh"), "a shell is needed");
        string report = Write("report.json", "9");
        string count = Path.Combine(_folder.FullName, "count");
        string always = Path.Combine(_folder.FullName, "always.sh");
        string twice = Path.Combine(_folder.FullName, "twice.sh");
        File.WriteAllText(always, $"cp {report} \"$2\"");
        File.WriteAllText(
            twice, $"echo >> {count}; [ $(wc -l < {count}) -lt 3 ] || {{ echo gone; exit 1; }}; cp {report} \"$2\"");

        ToolResult result = await Tool.RunAsync(
            "compare", "--repeat", "5", $"/bin/sh {twice}", "--", $"/bin/sh {always}");

        Assert.Equal(3, result.ExitCode);
        Assert.Matches("run [56] of 10 \\(side A\\) failed: .*gone; 2 of 5 pairs are complete", result.ErrorLines[^1]);
        Assert.Contains("no verdict, because a side has 2 samples", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Compare_RepeatThatIsInterrupted_ShowsThePairsAndSaysSo()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsMacOS(), "mkfifo(1) is needed");
        string report = Write("report.json", "9");
        string count = Path.Combine(_folder.FullName, "count");
        string script = Path.Combine(_folder.FullName, "script.sh");
        string fifth = Path.Combine(_folder.FullName, "fifth");
        using (var make = Process.Start("mkfifo", fifth)) await make.WaitForExitAsync(Cancelled);
        File.WriteAllText(
            script,
            $"echo >> {count}; [ $(wc -l < {count}) -lt 5 ] || {{ echo > {fifth}; exec sleep 60; }}; "
            + $"cp {report} \"$2\"");

        await using RunningTool tool = Tool.Start(
            "compare", "--repeat", "5", "--json", "-", $"/bin/sh {script}", "--", $"/bin/sh {script}");
        await Task.Run(() => File.ReadAllText(fifth), Cancelled).WaitAsync(Tool.Patience, Cancelled);
        tool.Stop();
        ToolResult result = await tool.FinishAsync();

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Equal("spate: interrupted; 2 of 5 pairs are complete and compared", result.ErrorLines[^1]);
        using JsonDocument json = JsonDocument.Parse(result.Output);
        Assert.True(json.RootElement.GetProperty("interrupted").GetBoolean());
    }

    [Fact]
    public async Task Compare_MediansThatContradictTheMeans_AreExplained()
    {
        const string Note = "in 1 row, B to A % and the medians A and B disagree";
        string a = Write("a.json", "100, 100, 100, 50, 50");
        string b = Write("b.json", "99, 99, 99, 98, 98");

        ToolResult contrary = await Tool.RunAsync("compare", a, b);
        ToolResult plain = await Tool.RunAsync("compare", a, Write("c.json", "101, 102, 103, 104, 105"));

        Assert.Contains(Note, contrary.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("disagree", plain.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Compare_SamplesOfZero_AreCountedInATableOfTheirOwn()
    {
        string a = Write("a.json", "0, 0, 0, 0, 0");
        string b = Write("b.json", "0, 7, 7, 7, 7");

        ToolResult result = await Tool.RunAsync("compare", a, b);

        Assert.Contains("judged by ranks, because values of 0 have no ratio:", result.Output, StringComparison.Ordinal);
        Assert.Matches("5 of 5 +1 of 5 +4.8 +worse", result.Output);
        Assert.Contains("B is better in 0 and worse in 1", result.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(2, "a side has 'a.json' twice", "compare", "a.json", "./a.json", "--", "b.json")]
    [InlineData(2, "spate compare needs A... -- B...", "compare")]
    [InlineData(2, "two sides are required, with -- between them", "compare", "a", "b", "c")]
    [InlineData(2, "the side after -- is empty", "compare", "a", "--")]
    [InlineData(2, "the side before -- is empty", "compare", "--", "b")]
    [InlineData(3, "cannot read the report 'there-is-none.json'", "compare", "there-is-none.json", "b")]
    [InlineData(2, "'/dev/null' is not a report: it is empty", "compare", "/dev/null", "b")]
    [InlineData(2, "--seed sets the order of runs: it needs --repeat", "compare", "--seed", "1", "a", "b")]
    [InlineData(2, "--repeat takes one quoted command per side", "compare", "--repeat", "1", "a", "b", "--", "c")]
    [InlineData(
        2, "'--json' is after --, where options are not read", "compare", "a", "--", "b", "--json", "r.json")]
    [InlineData(2, "unknown option '--jsn' for spate compare", "compare", "a", "b", "--jsn", "r.json")]
    [InlineData(2, "has --json", "compare", "--repeat", "1", "info --json -", "--", "info")]
    [InlineData(2, "a side's command is empty", "compare", "--repeat", "1", "", "info")]
    public async Task Compare_WrongUse_IsOneClearLine(int exitCode, string expected, params string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(arguments);

        Assert.Equal(exitCode, result.ExitCode);
        Assert.Contains(expected, result.ErrorLines[^1], StringComparison.Ordinal);
        Assert.Empty(result.Output);
    }

    [Theory]
    [InlineData("pair 1 of 1 cannot be compared: the reports are of", "cp INFO \"$2\"", "cp REPORT \"$2\"")]
    [InlineData(
        "wrote no report to compare: spate: unknown command 'x'",
        "echo \"spate: unknown command 'x'\" >&2; exit 2",
        "echo \"spate: unknown command 'x'\" >&2; exit 2")]
    [InlineData("a report of kind info has no figures", "cp INFO \"$2\"", "cp INFO \"$2\"")]
    public async Task Compare_RunsWithoutFigures_IsOneClearLine(string expected, string a, string b)
    {
        Assert.SkipUnless(File.Exists("/bin/sh"), "a shell is needed");
        string info = Path.Combine(_folder.FullName, "info.json");
        Assert.Equal(0, (await Tool.RunAsync("info", "--json", info)).ExitCode);
        string report = Write("report.json", "9");
        string Script(string name, string text)
        {
            string path = Path.Combine(_folder.FullName, name);
            File.WriteAllText(path, text
                .Replace("INFO", info, StringComparison.Ordinal).Replace("REPORT", report, StringComparison.Ordinal));
            return "/bin/sh " + path;
        }

        ToolResult result = await Tool.RunAsync("compare", "--repeat", "1", Script("a.sh", a), Script("b.sh", b));

        Assert.Equal((3, ""), (result.ExitCode, result.Output));
        Assert.Contains(expected, result.ErrorLines[^1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Compare_HostileReport_IsShownWithoutControlCharacters()
    {
        string a = Write("a.json", "1, 2, 3, 4, 5", name: "x\\u001b]0;owned\\u0007\\n\\u202e");

        ToolResult result = await Tool.RunAsync("compare", a, a);

        Assert.Equal(0, result.ExitCode);
        Assert.DoesNotContain('\u001b', result.Output);
        Assert.DoesNotContain('\u0007', result.Output);
        Assert.DoesNotContain('\u202e', result.Output);
    }

    private string Write(string file, string samples, string name = "spate-mmsg")
    {
        string path = Path.Combine(_folder.FullName, file);
        string first = samples.Split(',')[0];
        File.WriteAllText(path, $$"""
            {
              "schema": "spate/1", "kind": "sockets", "kernel": "k", "runtime": "r", "cpus": 2,
              "rows": [{ "sockets": 1, "mode": "{{name}}", "queued": 1, "sizeBytes": 64, "spreadPercent": 1,
                "receiveNanosecondsPerDatagram": {{first}}, "samples": [{{samples}}] }]
            }
            """);
        return path;
    }
}
