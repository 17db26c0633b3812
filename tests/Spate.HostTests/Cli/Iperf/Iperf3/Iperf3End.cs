using System.Diagnostics;

namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>One end of a test that runs: <c>spate iperf3</c> in this process, or the real program.</summary>
internal sealed class Iperf3End : IAsyncDisposable
{
    private const string RealName = "iperf3";
    private const string RealVersion = "3.12";

    private static readonly Lazy<bool> HasVersion = new(IsOfTheVersion);

    private readonly RunningTool? _tool;
    private readonly Process? _process;

    private Iperf3End(RunningTool tool) => (_tool, Result) = (tool, tool.FinishAsync());

    private Iperf3End(Process process) => (_process, Result) = (process, ToolProcess.FinishAsync(process));

    /// <summary>Its result, after its end.</summary>
    public Task<ToolResult> Result { get; }

    /// <summary>The tool, if it runs in this process.</summary>
    public RunningTool Spate => _tool!;

    /// <summary>Starts the tool with arguments, in this process.</summary>
    public static Iperf3End StartSpate(IEnumerable<string> arguments) => new(Tool.Start(["iperf3", .. arguments]));

    /// <summary>Skips the test where the real program is not installed, or of another version.</summary>
    public static void RequireReal()
    {
        Programs.Require(RealName, RealName);
        Assert.SkipUnless(HasVersion.Value, $"the program {RealName} is not of version {RealVersion}");
    }

    /// <summary>Starts the real program.</summary>
    public static Iperf3End StartReal(IEnumerable<string> arguments) => new(Process.Start(RealStartInfo(arguments))!);

    /// <summary>Ends it as a signal would, and waits.</summary>
    public async Task<ToolResult> StopAsync()
    {
        _tool?.Stop();
        if (_process is { HasExited: false } process) process.Kill();
        return await Result;
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _process?.Dispose();
        if (_tool is not null) await _tool.DisposeAsync();
    }

    private static ProcessStartInfo RealStartInfo(IEnumerable<string> arguments) => new(RealName, arguments)
    {
        RedirectStandardOutput = true,
        RedirectStandardError = true,
        UseShellExecute = false,
    };

    // Options and texts differ from version to version.
    private static bool IsOfTheVersion()
    {
        using Process process = Process.Start(RealStartInfo(["--version"]))!;
        bool isRight = process.StandardOutput.ReadToEnd().StartsWith($"iperf {RealVersion}", StringComparison.Ordinal);
        process.WaitForExit();
        return isRight;
    }
}
