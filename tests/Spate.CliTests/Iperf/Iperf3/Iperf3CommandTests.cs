using Spate.Cli;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.TestHelpers.Iperf3;

namespace Spate.CliTests.Iperf.Iperf3;

/// <summary>What the command does before a test begins: the whole tool in this process.</summary>
public sealed class Iperf3CommandTests
{
    [Theory]
    [InlineData("only UDP is supported: add -u", "-c", "127.0.0.1")]
    [InlineData("unrecognized option '--foo'", "-s", "--foo")]
    [InlineData("a role is missing")]
    [InlineData("unrecognized option '-\\u001b' in '-\\u001b[31m'", "-\u001b[31m")]
    public void Run_WrongUse_IsOneLineThatNamesTheHelp(string expected, params string[] arguments)
    {
        (int exitCode, string output, string error) = Run(arguments);

        Assert.Equal(ExitCode.WrongUse, exitCode);
        Assert.Empty(output);
        Assert.StartsWith($"spate: {expected}", error, StringComparison.Ordinal);
        Assert.EndsWith("(see spate iperf3 --help)\n", error, StringComparison.Ordinal);
        Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    [Theory]
    [InlineData("-h", "spate iperf3 -s [options]")]
    [InlineData("--help", "spate iperf3 -c HOST -u [options]")]
    [InlineData("-sh", "spate iperf3 -s [options]")]
    [InlineData("-v", "spate ")]
    [InlineData("--vers", null)]
    public void Run_HelpOrVersion_IsShown(string option, string? expected)
    {
        (int exitCode, string output, _) = Run(option);

        Assert.Equal(expected is null ? ExitCode.WrongUse : ExitCode.Done, exitCode);
        Assert.Contains(expected ?? "", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--logfile")]
    [InlineData("-I")]
    public void Run_FileThatCannotBeWritten_IsRefusedBeforeTheTest(string option)
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName(), "none");

        (int exitCode, _, string error) = Run("-s", option, path);

        Assert.Equal(ExitCode.CouldNotRun, exitCode);
        Assert.StartsWith("spate: cannot write to '", error, StringComparison.Ordinal);
        Assert.EndsWith($"use another file for {option} ({DocsAnchor.Output})\n", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", false)]
    [InlineData("-J", true)]
    [InlineData("--json-stream", true)]
    [InlineData("-J -B no-such-host.invalid", true)]
    public void Run_UnknownHost_CouldNotRunAndSaysSoInTheDocument(string options, bool isDocument)
    {
        (int exitCode, string output, string error) = Run(
            ["-c", "no-such-host..invalid", "-u", .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries)]);

        Assert.Equal(ExitCode.CouldNotRun, exitCode);
        Assert.StartsWith("spate: unknown host 'no-such-host", error, StringComparison.Ordinal);
        Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.Equal(isDocument, output.Contains("unknown host", StringComparison.Ordinal));
        Assert.Equal(isDocument, output.Contains("error", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Run_StdoutClosed_IsToldInOneLine()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is Linux's");
        using var server = new RunningIperf3Server();

        ToolResult result = await ToolProcess.RunRedirectedAsync(
            ">&-", "iperf3", "-c", "127.0.0.1", "-u", "-k", "3", "-p", $"{server.EndPoint.Port}");

        Assert.Equal(ExitCode.CouldNotRun, result.ExitCode);
        Assert.StartsWith(
            "spate: cannot write to stdout: it is closed", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    [Fact]
    public void Run_LogFileThatTakesNothing_IsToldInOneLine()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "/dev/full is needed");
        using var server = new RunningIperf3Server();

        (int exitCode, _, string error) = Run(
            "-c", "127.0.0.1", "-u", "-k", "3", "-p", $"{server.EndPoint.Port}", "--logfile", "/dev/full");

        Assert.Equal(ExitCode.CouldNotRun, exitCode);
        Assert.StartsWith(
            "spate: cannot write to '/dev/full': No space left on device; use",
            Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries)),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Of_FaultOfATest_ShowsItsMessage()
    {
        CommandException refusal = ErrorMapper.Of(new Iperf3Exception("the server is busy"));

        Assert.Equal("the server is busy", refusal.Message);
        Assert.Equal(ExitCode.CouldNotRun, refusal.ExitCode);
    }

    private static (int ExitCode, string Output, string Error) Run(params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        int exitCode = CommandLine.Run(["iperf3", .. arguments], new Streams { Output = output, Error = error });
        return (exitCode, output.ToString(), error.ToString());
    }
}
