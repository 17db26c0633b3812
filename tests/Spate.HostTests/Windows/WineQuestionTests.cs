namespace Spate.HostTests.Windows;

/// <summary>The gaps of Wine, each shown by a program in C. Tests are skipped under Wine for these alone.</summary>
public sealed class WineQuestionTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("spate-wine-question-");

    public static TheoryData<string> Questions =>
        [.. Directory.GetFiles(Folder, "*.c").Select(static path => Path.GetFileNameWithoutExtension(path)!)
            .Order(StringComparer.Ordinal)];

    private static string Folder => Path.Combine(RepositoryTop.Path, "tests", "Wine");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory, MemberData(nameof(Questions))]
    public async Task Ask_OfWine_AnswersThatItLacksThis(string question)
    {
        WindowsPrograms.Require();
        Programs.Require("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64");
        Programs.Require("wine", "wine");
        string program = Path.Combine(_folder.FullName, question + ".exe");
        ToolResult compiled = await ToolProcess.RunProgramAsync(
            "x86_64-w64-mingw32-gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", program,
            Path.Combine(Folder, question + ".c"), "-lws2_32");
        Assert.True(compiled.ExitCode == 0, compiled.Error);

        ToolResult answer = await ToolProcess.RunProgramAsync("wine", program);

        Assert.True(
            answer.ExitCode == 0 && answer.Output.Contains("(lacks it)", StringComparison.Ordinal),
            $"exit code {answer.ExitCode}: {answer.Output}{answer.Error}Once Wine has it, drop the question; if it is "
            + "one of Wine.Questions, run the tests again that are skipped for it.");
        TestContext.Current.TestOutputHelper!.WriteLine(answer.Output.Trim());
    }

    [Fact]
    public void Questions_OfSkippedTests_AreAllAsked() =>
        Assert.All(Wine.Questions, static one => Assert.True(File.Exists(Path.Combine(Folder, one + ".c")), one));
}
