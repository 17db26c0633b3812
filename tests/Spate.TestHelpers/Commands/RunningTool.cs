using Spate.Cli;
using Spate.Cli.Output;

namespace Spate.TestHelpers.Commands;

/// <summary>
/// A command of the tool on a thread of this process, by the entry that <c>Main</c> calls: its streams are no
/// terminals, and the test takes the place of its signals.
/// </summary>
internal sealed class RunningTool : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationTokenSource _outputFails = new();
    private readonly ToolText _output = new();
    private readonly ToolText _error = new();

    // No test goes on upon the thread of the command, which may be in a network namespace.
    private readonly TaskCompletionSource<int> _run = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private RunningTool(TimeProvider time, string[] arguments) =>
        new Thread(() => Run(time, arguments)) { IsBackground = true, Name = "spate" }.Start();

    /// <summary>Completed when the command has ended.</summary>
    public Task Ended => _run.Task;

    public static RunningTool Start(params string[] arguments) => new(TimeProvider.System, arguments);

    /// <summary>Starts a command with a clock of the test.</summary>
    public static RunningTool Start(TimeProvider time, params string[] arguments) => new(time, arguments);

    /// <summary>The next line of stdout; null at its end.</summary>
    public Task<string?> ReadOutputLineAsync() => _output.ReadLineAsync().WaitAsync(Tool.Patience);

    /// <summary>The next line of stderr; null at its end.</summary>
    public Task<string?> ReadErrorLineAsync() => _error.ReadLineAsync().WaitAsync(Tool.Patience);

    /// <summary>Reads lines of stderr up to one that holds a text, and returns that.</summary>
    public Task<string> ReadErrorLineWithAsync(string text) => ReadLineWithAsync(ReadErrorLineAsync, text);

    /// <summary>Reads lines of stdout up to one that holds a text, and returns that.</summary>
    public Task<string> ReadOutputLineWithAsync(string text) => ReadLineWithAsync(ReadOutputLineAsync, text);

    /// <summary>Asks it to end, as the first signal does.</summary>
    public void Stop() => _stop.Cancel();

    /// <summary>Lets its stdout fail, as a reader does that has gone.</summary>
    public void FailOutput() => _outputFails.Cancel();

    /// <summary>Waits until it ends by itself.</summary>
    /// <returns>Its exit code, and its output after the lines that were read.</returns>
    public async Task<ToolResult> FinishAsync()
    {
        int exitCode = await _run.Task.WaitAsync(Tool.Patience);
        return new ToolResult(exitCode, _output.ReadToEnd(), _error.ReadToEnd());
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _run.Task.WaitAsync(Tool.Patience);
        _stop.Dispose();
        _outputFails.Dispose();
        await _output.DisposeAsync();
        await _error.DisposeAsync();
    }

    private async Task<string> ReadLineWithAsync(Func<Task<string?>> readLine, string text)
    {
        while (await readLine() is { } line)
        {
            if (line.Contains(text, StringComparison.Ordinal)) return line;
        }

        throw new InvalidOperationException(
            $"The tool ended with exit code {await _run.Task} and never wrote '{text}'.");
    }

    private void Run(TimeProvider time, string[] arguments)
    {
        try
        {
            int exitCode = CommandLine.Run(arguments, new Streams
            {
                Output = TextWriter.Synchronized(_output),
                Error = TextWriter.Synchronized(_error),
                OutputFailed = _outputFails.Token,
                StopRequested = _stop.Token,
                Time = time,
            });
            End();
            _run.SetResult(exitCode);
        }
        catch (Exception fault)
        {
            End();
            _run.SetException(fault);
        }
    }

    private void End()
    {
        _output.End();
        _error.End();
    }
}
