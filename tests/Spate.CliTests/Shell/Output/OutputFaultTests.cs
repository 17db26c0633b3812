using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Spate.Cli.Shell.Output;

namespace Spate.CliTests.Shell.Output;

/// <summary>Output that goes nowhere: a reader that has gone, a full disk, closed streams. Never an abort.</summary>
public sealed class OutputFaultTests : IDisposable
{
    // Only keeps a run that does not notice from hanging the tests.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("spate-output-");

    private string ReportPath => Path.Combine(_folder.FullName, "report.json");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("No space left on device : '/x/.spate-3yfj314b.xaz'", "No space left on device : '/x/r.json'")]
    [InlineData("Access to the path '/x/.spate-3yfj314b.xaz' is denied.", "Access to the path '/x/r.json' is denied")]
    [InlineData("it ends in .spate-", "it ends in .spate-")]
    [InlineData("it is a directory", "it is a directory")]
    public void MessageOf_FileBesideTheTarget_NamesTheTarget(string message, string expected) =>
        Assert.Equal(expected, JsonOutput.MessageOf("/x/r.json", new IOException(message)));

    [Theory]
    [InlineData(@"\\.\NUL", true)]
    [InlineData(@"\\.\nul", true)]
    [InlineData(@"\\.\pipe\reports", true)]
    [InlineData(@"\\.\CON", false)]
    [InlineData(@"\\.\NUL.json", false)]
    [InlineData(@"\\.\C:\report.json", false)]
    [InlineData(@"\\.\PhysicalDrive0", false)]
    [InlineData(@"C:\report.json", false)]
    public void IsNullOrPipe_PathOfWindows_IsTrueForNoOtherDevice(string path, bool expected) =>
        Assert.Equal(expected, JsonOutput.IsNullOrPipe(path));

    [Theory]
    [InlineData("receive", "127.0.0.1:0")]
    [InlineData("serve", "127.0.0.1:0")]
    [InlineData("send", "--rate", "100", "--size", "64")]
    public async Task Run_OutputFailed_EndsAndLeavesItsReport(string command, params string[] arguments)
    {
        NativeTool.SkipAsInside("its output fails at once, and not at the next write: Run_ReaderGone has a process");
        using var target = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        target.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        string[] to = command is "send" ? [target.LocalEndPoint!.ToString()!] : [];
        await using RunningTool tool = Tool.Start(
            [command, .. to, .. arguments, "--interval", "0.1", "--seconds", "3600", "--json", ReportPath]);

        Assert.NotNull(await tool.ReadOutputLineAsync());
        tool.FailOutput();
        await tool.Ended.WaitAsync(Patience, TestContext.Current.CancellationToken);

        // Streams.Use makes the exit code of a process 3: Run_ReaderGone_EndsAndLeavesItsReport.
        Assert.Equal(0, (await tool.FinishAsync()).ExitCode);
        AssertReport(command);
    }

    [Fact]
    public async Task Run_ReaderGone_EndsAndLeavesItsReport()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsMacOS(), "there is no EPIPE elsewhere");
        using Process process = ToolProcess.Start(
            "receive", "127.0.0.1:0", "--interval", "0.1", "--seconds", "3600", "--json", ReportPath);

        Assert.NotNull(await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
        process.StandardOutput.Close();
        using var patience = new CancellationTokenSource(Patience);
        string error;
        try
        {
            error = await process.StandardError.ReadToEndAsync(patience.Token);
            await process.WaitForExitAsync(patience.Token);
        }
        finally
        {
            if (!process.HasExited) process.Kill();
        }

        Assert.Equal(3, process.ExitCode);
        Assert.DoesNotContain("Exception", error, StringComparison.Ordinal);
        AssertReport("receive");
    }

    [Theory]
    [InlineData(">/dev/full", "No space left on device")]
    [InlineData(">&-", "it is closed")]
    [InlineData("2>&-", null)]
    [InlineData("2>/dev/full", null)]
    [InlineData("<&- >&- 2>&-", null)]
    public async Task Receive_StreamThatTakesNothing_WritesItsReportAndThenTells(string redirections, string? told)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/dev/full and /proc are Linux's");

        ToolResult result = await ToolProcess.RunRedirectedAsync(
            redirections, "receive", "127.0.0.1:0", "--seconds", "0.1", "--interval", "0.1", "--json", ReportPath);

        Assert.Equal(3, result.ExitCode);
        AssertReport("receive");
        if (told is not null)
        {
            Assert.Contains(
                $"spate: cannot write to stdout: {told}", result.ErrorLines[^1], StringComparison.Ordinal);
        }

        Assert.DoesNotContain("Exception", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("info", "--json", "-")]
    [InlineData("receive", "--help")]
    public async Task AnyCommand_StdoutFull_IsToldInOneLine(params string[] arguments)
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "/dev/full is needed");

        ToolResult result = await ToolProcess.RunRedirectedAsync(">/dev/full", arguments);

        Assert.Contains("cannot write to stdout", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
        Assert.Equal(3, result.ExitCode);
    }

    [Fact]
    public async Task Report_ToAPipeWithoutAReader_IsToldAndThenWritten()
    {
        MakePipe();
        await using RunningTool tool = Tool.Start(WithPipe());

        string? told = await tool.ReadErrorLineAsync();
        string report = await File.ReadAllTextAsync(ReportPath, TestContext.Current.CancellationToken);
        ToolResult result = await tool.FinishAsync();

        Assert.Equal(
            $"spate: waiting for a program that reads the report from '{ReportPath}'; Ctrl-C ends this", told);
        Assert.Equal(0, result.ExitCode);
        using JsonDocument read = JsonDocument.Parse(report);
        Assert.Equal("receive", read.RootElement.GetProperty("kind").GetString());
    }

    [Fact]
    public async Task Report_ToAPipeWithoutAReader_OneInterruptEndsTheWait()
    {
        MakePipe();
        using Process process = ToolProcess.Start(WithPipe());
        Assert.NotNull(await process.StandardError.ReadLineAsync(TestContext.Current.CancellationToken));

        using Process kill = Process.Start("sh", ["-c", $"kill -INT {process.Id}"]);
        await kill.WaitForExitAsync(TestContext.Current.CancellationToken);

        Assert.NotEqual(0, (await ToolProcess.FinishAsync(process)).ExitCode);
    }

    [Fact]
    public async Task WrongUse_StderrClosed_KeepsItsExitCode()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is Linux's");

        ToolResult result = await ToolProcess.RunRedirectedAsync("2>&-", "sned");

        Assert.Equal(2, result.ExitCode);
    }

    [Fact]
    public void JsonOutput_Written_ReplacesTheFileWholeAndKeepsItsModeAndLinks()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("modes and links are Unix's");
            return;
        }

        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        File.WriteAllText(ReportPath, "an earlier report that is longer");
        File.SetUnixFileMode(ReportPath, Mode);
        string link = Path.Combine(_folder.FullName, "link.json");
        File.CreateSymbolicLink(link, ReportPath);

        using (JsonOutput json = JsonOutput.Open(link, Silent)!)
        using (var held = new FileStream(ReportPath, FileMode.Open, FileAccess.Read, FileShare.ReadWrite))
        {
            json.Write("{}");

            // A reader of the earlier report still has all of it: the file was replaced, not written into.
            Assert.Equal("an earlier report that is longer", new StreamReader(held).ReadToEnd());
        }

        Assert.Equal("{}\n", File.ReadAllText(link));
        Assert.Equal(ReportPath, new FileInfo(link).LinkTarget);
        Assert.Equal(Mode, File.GetUnixFileMode(ReportPath));
        Assert.Equal(2, _folder.GetFiles().Length);
    }

    [Fact]
    public void JsonOutput_DescriptorOfTheProcess_IsWrittenThrough()
    {
        Assert.SkipUnless(Directory.Exists("/proc/self/fd"), "/proc is needed");
        using var held = new FileStream(ReportPath, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.ReadWrite);

        using (JsonOutput json = JsonOutput.Open(
            $"/proc/self/fd/{held.SafeFileHandle.DangerousGetHandle()}", Silent)!)
        {
            json.Write("{}");
        }

        Assert.Equal(3, held.Length);
    }

    private string[] WithPipe() => ["receive", "127.0.0.1:0", "--seconds", "0.05", "--json", ReportPath];

    private void MakePipe()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "named pipes in the file system are Unix's");
        using Process make = Process.Start("mkfifo", [ReportPath]);
        make.WaitForExit();
        Assert.Equal(0, make.ExitCode);
    }

    private static Streams Silent => new() { Output = TextWriter.Null, Error = TextWriter.Null };

    private void AssertReport(string kind)
    {
        using JsonDocument report = JsonDocument.Parse(File.ReadAllText(ReportPath));
        Assert.Equal(kind, report.RootElement.GetProperty("kind").GetString());
        Assert.Single(_folder.GetFiles());
    }
}
