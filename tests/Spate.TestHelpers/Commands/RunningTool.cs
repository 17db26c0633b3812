using System.Net;

namespace Spate.TestHelpers.Commands;

/// <summary>
/// A command of the tool on a thread of this process; with <see cref="NativeTool"/>, a process of that. Its streams are
/// no terminals, and the test takes the place of its signals.
/// </summary>
internal sealed class RunningTool : IAsyncDisposable
{
    private readonly ToolText _output = new();
    private readonly ToolText _error = new();
    private readonly IToolRun _run;

    private RunningTool(Func<ToolText, ToolText, IToolRun> start) => _run = start(_output, _error);

    /// <summary>Completed when the command has ended.</summary>
    public Task Ended => _run.ExitCode;

    public static RunningTool Start(params string[] arguments) => NativeTool.Path is null
        ? StartInside(arguments)
        : new((output, error) => new ToolChild(arguments, output, error));

    /// <summary>
    /// Starts a command with a clock of the test, and so in this process: the test says that by
    /// <see cref="NativeTool.SkipAsInside"/>.
    /// </summary>
    public static RunningTool Start(TimeProvider time, params string[] arguments) =>
        new((output, error) => new ToolThread(time, arguments, output, error));

    /// <summary>Starts a command in this process, also if there is a native tool.</summary>
    public static RunningTool StartInside(params string[] arguments) =>
        new((output, error) => new ToolThread(TimeProvider.System, arguments, output, error));

    /// <summary>The end point in a line such as <c>receiving at 127.0.0.1:5000, backend mmsg</c>.</summary>
    public static IPEndPoint EndPointIn(string line, string before) => IPEndPoint.Parse(
        line[(line.IndexOf(before, StringComparison.Ordinal) + before.Length)..].Split(',', ' ')[0]);

    /// <summary>The next line of stdout; null at its end.</summary>
    public Task<string?> ReadOutputLineAsync() => _output.ReadLineAsync().WaitAsync(Tool.Patience);

    /// <summary>The next line of stderr; null at its end.</summary>
    public Task<string?> ReadErrorLineAsync() => _error.ReadLineAsync().WaitAsync(Tool.Patience);

    /// <summary>Reads lines of stderr up to one that holds a text, and returns that.</summary>
    public Task<string> ReadErrorLineWithAsync(string text) => ReadLineWithAsync(ReadErrorLineAsync, text);

    /// <summary>Reads lines of stdout up to one that holds a text, and returns that.</summary>
    public Task<string> ReadOutputLineWithAsync(string text) => ReadLineWithAsync(ReadOutputLineAsync, text);

    /// <summary>Reads lines of stderr up to the one with the tool's end point, and returns that.</summary>
    /// <param name="before">The words before it, such as <c>receiving at </c>.</param>
    public async Task<IPEndPoint> ReadEndPointAsync(string before) =>
        EndPointIn(await ReadErrorLineWithAsync(before), before);

    /// <summary>Asks it to end, as the first signal does.</summary>
    public void Stop() => _run.Stop();

    /// <summary>Lets its stdout fail, as a reader does that has gone.</summary>
    public void FailOutput() => _run.FailOutput();

    /// <summary>Waits until it ends by itself.</summary>
    /// <returns>Its exit code, and its output after the lines that were read.</returns>
    public async Task<ToolResult> FinishAsync()
    {
        int exitCode = await _run.ExitCode.WaitAsync(Tool.Patience);
        return new ToolResult(exitCode, _output.ReadToEnd(), _error.ReadToEnd());
    }

    public async ValueTask DisposeAsync()
    {
        await _run.DisposeAsync();
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
            $"The tool ended with exit code {await _run.ExitCode} and never wrote '{text}'.");
    }
}
