using System.Text;
using System.Text.RegularExpressions;

namespace Spate.CliTests.Snapshots;

/// <summary>
/// The exit codes and the error lines of each command are as recorded. The files hold the command lines too, each after
/// <see cref="CommandLines.Prompt"/>: a line that is added is a further case, whose result SPATE_RECORD=1 writes.
/// </summary>
public sealed partial class WrongUseSnapshotTests
{
    private const string Folder = "WrongUse";

    // Such as an unknown option, a value that is missing, and one out of range.
    private const int MinCases = 3;

    public WrongUseSnapshotTests() => Recorded.SkipUnlessOfThisSystem();

    [Fact]
    public async Task WrongUse_OfEveryCommand_IsAsRecorded()
    {
        var texts = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach ((string name, string recorded) in Recorded.Read(Folder)) texts[name] = await RunAsync(name, recorded);

        Recorded.AssertSame(Folder, texts);
    }

    [Fact]
    public void Cases_OfEveryCommand_AreThere() => Assert.All(
        Recorded.Read("Help").Keys,
        name => Assert.InRange(LinesOf(Recorded.Read(Folder).GetValueOrDefault(name) ?? "").Length, MinCases, 999));

    private static string[] LinesOf(string text) =>
        [.. text.Split('\n').Where(static line => line.StartsWith(CommandLines.Prompt, StringComparison.Ordinal))];

    private static async Task<string> RunAsync(string name, string recorded)
    {
        var text = new StringBuilder();
        foreach (string line in LinesOf(recorded))
        {
            string[] words = CommandLines.Split(line);
            string[] command = CommandLines.WordsOf(name);
            Assert.Equal(command, words.Take(command.Length), StringComparer.Ordinal);
            ToolResult result = await Tool.RunAsync(words);
            text.Append(line).Append('\n').Append(PartsOfTheHost().Replace(result.Error, "${before}..."))
                .Append($"exit code {result.ExitCode}\n\n");
        }

        return text.ToString();
    }

    // Messages name the CPUs and the interfaces that there are.
    [GeneratedRegex(
        "(?<before>does not exist; usable: |an interface of this host: ).*",
        RegexOptions.NonBacktracking | RegexOptions.ExplicitCapture)]
    private static partial Regex PartsOfTheHost();
}
