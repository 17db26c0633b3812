using Spate.Cli;
using Spate.Cli.Shell.Output;

namespace Spate.TestHelpers.Commands;

/// <summary>A command on a thread of this process, by the entry that <c>Main</c> calls.</summary>
internal sealed class ToolThread : IToolRun
{
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationTokenSource _outputFails = new();
    private readonly ToolText _output;
    private readonly ToolText _error;

    // No test goes on upon the thread of the command, which may be in a network namespace.
    private readonly TaskCompletionSource<int> _run = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ToolThread(TimeProvider time, string[] arguments, ToolText output, ToolText error)
    {
        _output = output;
        _error = error;
        new Thread(() => Run(time, arguments)) { IsBackground = true, Name = "spate" }.Start();
    }

    public Task<int> ExitCode => _run.Task;

    public void Stop() => _stop.Cancel();

    public void FailOutput() => _outputFails.Cancel();

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _run.Task.WaitAsync(Tool.Patience);
        _stop.Dispose();
        _outputFails.Dispose();
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
