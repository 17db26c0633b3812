using System.ComponentModel;
using System.Diagnostics;
using Spate.Cli;
using Spate.Cli.Output;

namespace Spate.CliTests.Iperf3.Runs;

/// <summary>One end of a test that runs: <c>spate iperf3</c> in this process, or the real program.</summary>
internal sealed class Iperf3End : IAsyncDisposable
{
    private const string RealName = "iperf3";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);
    private static readonly Lazy<bool> HasReal = new(FindReal);

    private readonly CancellationTokenSource _stop = new();
    private readonly StringWriter _error = new();
    private readonly StringWriter _output = new();
    private readonly TextWriter _errorLock;
    private readonly TextWriter _outputLock;
    private Process? _process;

    private Iperf3End()
    {
        _errorLock = TextWriter.Synchronized(_error);
        _outputLock = TextWriter.Synchronized(_output);
    }

    /// <summary>What it left behind, when it has ended.</summary>
    public Task<ToolResult> Result { get; private set; } = Task.FromResult(new ToolResult(0, "", ""));

    /// <summary>Starts the tool with arguments, in this process.</summary>
    public static Iperf3End StartSpate(IEnumerable<string> arguments)
    {
        var end = new Iperf3End();
        string[] words = ["iperf3", .. arguments];
        end.Result = Task.Factory.StartNew(
            () => end.RunSpate(words),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        return end;
    }

    /// <summary>Starts the real program. Skips the test where it is not installed.</summary>
    public static Iperf3End StartReal(IEnumerable<string> arguments)
    {
        Assert.SkipUnless(HasReal.Value, "iperf3 is not installed");
        var end = new Iperf3End { _process = Process.Start(RealStartInfo(arguments))! };
        end.Result = ToolProcess.FinishAsync(end._process);
        return end;
    }

    /// <summary>Waits until it has written something, to stdout or stderr. Only for the tool itself.</summary>
    public void WaitFor(string text)
    {
        bool IsThere() => Written().Contains(text, StringComparison.Ordinal);
        _ = SpinWait.SpinUntil(() => IsThere() || Result.IsCompleted, Patience);
        Assert.True(IsThere(), $"It has not written '{text}': {Written()}");
    }

    /// <summary>Ends it as a signal would, and waits.</summary>
    public async Task<ToolResult> StopAsync()
    {
        await _stop.CancelAsync();
        if (_process is { HasExited: false } process) process.Kill();
        return await Result.WaitAsync(Patience);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _process?.Dispose();
        _stop.Dispose();
    }

    private static ProcessStartInfo RealStartInfo(IEnumerable<string> arguments) => new(RealName, arguments)
    {
        RedirectStandardOutput = true,
        RedirectStandardError = true,
        UseShellExecute = false,
    };

    private static bool FindReal()
    {
        try
        {
            using Process process = Process.Start(RealStartInfo(["--version"]))!;
            bool isRight = process.StandardOutput.ReadToEnd().StartsWith("iperf 3.12", StringComparison.Ordinal);
            process.WaitForExit();
            return isRight;
        }
        catch (Win32Exception)
        {
            return false;
        }
    }

    private string Written()
    {
        lock (_outputLock)
        {
            lock (_errorLock) return $"{_output}{_error}";
        }
    }

    private ToolResult RunSpate(string[] words)
    {
        int exitCode = CommandLine.Run(
            words,
            new Streams { Output = _outputLock, Error = _errorLock, OutputFailed = _stop.Token });
        return new ToolResult(exitCode, _output.ToString(), _error.ToString());
    }
}
