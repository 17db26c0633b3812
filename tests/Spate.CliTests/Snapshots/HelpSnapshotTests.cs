using System.Text.RegularExpressions;

namespace Spate.CliTests.Snapshots;

/// <summary>The help of every command, and all that is made from it, is as recorded.</summary>
public sealed partial class HelpSnapshotTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("spate-snapshots-");

    public HelpSnapshotTests() => Recorded.SkipUnlessOfThisSystem();

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Help_OfEveryCommand_IsAsRecorded()
    {
        var texts = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (string name in (await ReadPagesAsync()).Keys)
        {
            string help = await RunAsync([.. CommandLines.WordsOf(name), "--help"]);
            texts[name] = Program().Replace(help, "Usage:\n  spate ", count: 1);
        }

        Recorded.AssertSame("Help", texts);
    }

    [Fact]
    public async Task Man_OfEveryCommand_IsAsRecorded() => Recorded.AssertSame("Man", await ReadPagesAsync());

    [Fact]
    public async Task Completion_OfEveryShell_IsAsRecorded()
    {
        var texts = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (string shell in (string[])["bash", "zsh", "fish", "pwsh"])
        {
            texts[shell] = await RunAsync("completion", shell);
        }

        Recorded.AssertSame("Completion", texts);
    }

    // The parser breaks the lines of a help at the width of the terminal of the process, if it has one.
    private static async Task<string> RunAsync(params string[] arguments)
    {
        ToolResult result = Console.IsOutputRedirected
            ? await Tool.RunAsync(arguments)
            : await ToolProcess.RunAsync(arguments);
        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        return result.Output;
    }

    private async Task<Dictionary<string, string>> ReadPagesAsync()
    {
        ToolResult written = await Tool.RunAsync("man", "--to", _folder.FullName);
        Assert.Equal(0, written.ExitCode);
        return _folder.EnumerateFiles().ToDictionary(
            static file => Path.GetFileNameWithoutExtension(file.Name),
            static file => Version().Replace(File.ReadAllText(file.FullName), "spate VERSION", count: 1),
            StringComparer.Ordinal);
    }

    // The parser shows the name of the program's file, which is that of the tests for a command inside of them.
    [GeneratedRegex("Usage:\n  [A-Za-z.]+ ", RegexOptions.NonBacktracking)]
    private static partial Regex Program();

    // The title of a page names it.
    [GeneratedRegex("spate [0-9]+[.][0-9]+[.][^\"]*", RegexOptions.NonBacktracking)]
    private static partial Regex Version();
}
