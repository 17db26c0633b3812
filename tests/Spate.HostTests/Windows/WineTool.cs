using System.Diagnostics;
using System.Net;
using System.Runtime.InteropServices;
using System.Text;

namespace Spate.HostTests.Windows;

/// <summary>
/// A command of the tool for Windows, as a process under Wine, which takes WINEPREFIX and WINEDEBUG from the
/// environment, as .NET its variables.
/// </summary>
internal sealed partial class WineTool : IAsyncDisposable
{
    private const int InterruptSignal = 2; // SIGINT, of which Wine makes a Ctrl-C

    private readonly Process _process;
    private readonly StringBuilder _read = new();

    private WineTool(Process process) => _process = process;

    /// <summary>Skips the test if nobody published the tool.</summary>
    public static void Require()
    {
        _ = WindowsPrograms.Require();
        Programs.Require("wine", "wine");
    }

    public static WineTool Start(params string[] arguments) =>
        Start(new Dictionary<string, string>(StringComparer.Ordinal), arguments);

    /// <param name="variables">More variables, as <see cref="WindowsPrograms.OverStandIn"/> has.</param>
    /// <param name="arguments">The command's.</param>
    public static WineTool Start(IReadOnlyDictionary<string, string> variables, params string[] arguments)
    {
        var start = new ProcessStartInfo("wine", [WindowsPrograms.Require("tool", "Spate.Cli"), .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
            StandardOutputEncoding = Encoding.UTF8,
            StandardErrorEncoding = Encoding.UTF8,
        };

        // Without a display Wine has no window to wait for.
        start.Environment.Remove("DISPLAY");
        foreach ((string name, string value) in variables) start.Environment[name] = value;
        return new WineTool(Process.Start(start)!);
    }

    /// <summary>Runs a command to its end.</summary>
    public static async Task<ToolResult> RunAsync(params string[] arguments)
    {
        await using WineTool tool = Start(arguments);
        return await tool.FinishAsync();
    }

    /// <summary>The same over the stand-in for the parts of Winsock that Wine lacks.</summary>
    public static async Task<ToolResult> RunOverStandInAsync(params string[] arguments)
    {
        await using WineTool tool = Start(WindowsPrograms.OverStandIn(), arguments);
        return await tool.FinishAsync();
    }

    /// <summary>Reads lines of stderr up to the one with the tool's end point, and returns that.</summary>
    /// <param name="before">The words before it, such as <c>receiving at </c>.</param>
    public async Task<IPEndPoint> ReadEndPointAsync(string before) =>
        RunningTool.EndPointIn(await ReadLineWithAsync(_process.StandardError, before), before);

    /// <summary>Reads lines of stdout up to one that holds a text.</summary>
    public async Task WaitForOutputAsync(string text) => _ = await ReadLineWithAsync(_process.StandardOutput, text);

    /// <summary>Asks it to end, as Ctrl-C does.</summary>
    public void Interrupt() => Assert.Equal(0, kill(_process.Id, InterruptSignal));

    /// <summary>Waits until it ends by itself.</summary>
    /// <returns>Its exit code, and its output after the lines that were read.</returns>
    public async Task<ToolResult> FinishAsync()
    {
        ToolResult result = await ToolProcess.FinishAsync(_process);
        return new ToolResult(
            result.ExitCode, result.Output.ReplaceLineEndings("\n"), result.Error.ReplaceLineEndings("\n"));
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited) _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }

    [LibraryImport("libc")]
    private static partial int kill(int process, int signal);

    private async Task<string> ReadLineWithAsync(StreamReader reader, string text)
    {
        using var patience = new CancellationTokenSource(Tool.Patience);
        while (await reader.ReadLineAsync(patience.Token) is { } line)
        {
            if (line.Contains(text, StringComparison.Ordinal)) return line;
            _ = _read.AppendLine(line);
        }

        throw new InvalidOperationException($"The tool never wrote '{text}', but: {_read}");
    }
}
