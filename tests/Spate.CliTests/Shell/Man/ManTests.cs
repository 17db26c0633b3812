using System.Diagnostics;

namespace Spate.CliTests.Shell.Man;

/// <summary>The man pages, read by man itself.</summary>
public sealed class ManTests
{
    [Fact]
    public async Task Pages_AllOfThem_AreReadByManWithoutAWarning()
    {
        Programs.Require("lexgrog", "man-db");
        string folder = Directory.CreateTempSubdirectory("spate-man").FullName;
        try
        {
            ToolResult written = await Tool.RunAsync("man", "--to", folder);
            Assert.Equal(0, written.ExitCode);
            string[] pages = [.. Directory.GetFiles(folder).Order(StringComparer.Ordinal)];
            Assert.Contains(Path.Combine(folder, "spate-bench-drain.1"), pages, StringComparer.Ordinal);

            ToolResult read = await RunAsync("man", ["--warnings", "-P", "cat", "-l", .. pages]);
            Assert.Equal("", read.Error);
            Assert.Equal(0, read.ExitCode);
            Assert.All(pages, page =>
            {
                string heading = Path.GetFileNameWithoutExtension(page).ToUpperInvariant() + "(1)";
                Assert.Contains(heading, read.Output, StringComparison.Ordinal);
            });

            // What whatis(1) and apropos(1) find of a page: its name and its summary.
            ToolResult names = await RunAsync("lexgrog", pages);
            Assert.Equal(0, names.ExitCode);
            Assert.Contains(
                "spate-info.1: \"spate-info - Show system, CPUs, buffer limits, interfaces, ", names.Output,
                StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task Page_OfACommand_HasItsPartsFromTheHelp()
    {
        ToolResult result = await Tool.RunAsync("man", "bench", "drain");

        Assert.Equal(0, result.ExitCode);
        Assert.StartsWith(".TH SPATE\\-BENCH\\-DRAIN 1 ", result.Output, StringComparison.Ordinal);
        Assert.Contains("\nspate\\-bench\\-drain \\- ", result.Output, StringComparison.Ordinal);
        Assert.Contains("\\fB\\-\\-json\\fR \\fIFILE|\\-\\fR\n", result.Output, StringComparison.Ordinal);
        Assert.Contains("\nspate bench drain", result.Output, StringComparison.Ordinal);
        Assert.Contains("\\fB\\-\\-no\\-color\\fR\n", result.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("is not a command", "man", "sned")]
    [InlineData("leave the command out", "man", "--to", "somewhere", "bench")]
    public async Task Man_WrongUse_IsOneLine(string expected, params string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(arguments);

        Assert.Equal(2, result.ExitCode);
        Assert.Contains(expected, Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    private static async Task<ToolResult> RunAsync(string program, string[] arguments)
    {
        ProcessStartInfo start = ToolProcess.StartInfoOf([program, .. arguments]);
        (start.Environment["LC_ALL"], start.Environment["MANWIDTH"]) = ("C.UTF-8", "80");
        using Process process = Process.Start(start)!;
        return await ToolProcess.FinishAsync(process);
    }
}
