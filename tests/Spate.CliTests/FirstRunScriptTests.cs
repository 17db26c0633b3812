using System.CommandLine;
using System.Text.RegularExpressions;
using Spate.Cli;
using Spate.Cli.Shell.Output;

namespace Spate.CliTests;

/// <summary>The commands in the script of the first run on Windows are those of the tool.</summary>
public sealed partial class FirstRunScriptTests
{
    private static readonly string Text = File.ReadAllText(
        Path.Combine(RepositoryTop.Path, "tests", "windows-first-run.ps1"));

    public static TheoryData<string> Commands => [.. CommandLine().Matches(Text)
        .Select(static match => match.Groups["line"].Value)
        .SelectMany(static line => line.Contains("$design", StringComparison.Ordinal)
            ? Designs().Match(Text).Groups["names"].Value.Split(", ")
                .Select(name => line.Replace("$design", name.Trim('\''), StringComparison.Ordinal))
            : [line])
        .Select(static line => line.Replace("$backend", "rio", StringComparison.Ordinal)
            .Replace("$speed", "--quick", StringComparison.Ordinal))
        .Distinct(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Commands))]
    public void Command_OfTheScript_IsOneOfTheTool(string line)
    {
        ParseResult parsed = SpateCommand.Create(Silent()).Parse(line.Split(' '));

        Assert.Empty(parsed.Errors);
    }

    [Fact]
    public void Commands_OfTheScript_AreFound() => Assert.True(Commands.Count >= 15, $"{Commands.Count}");

    private static Streams Silent() => new() { Output = TextWriter.Null, Error = TextWriter.Null };

    [GeneratedRegex(
        "(?<quote>['\"])(?<line>(info|send|receive|serve|bench)( [^'\"]+)?)\\k<quote>",
        RegexOptions.ExplicitCapture,
        matchTimeoutMilliseconds: 1000)]
    private static partial Regex CommandLine();

    [GeneratedRegex(
        @"foreach \(\$design in (?<names>[^)]+)\)", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Designs();
}
