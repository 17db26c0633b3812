using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;

namespace Spate.TestHelpers.Commands;

/// <summary>
/// A command as a process of the native tool. It is started by the caller's thread, and so is in its network namespace.
/// </summary>
internal sealed partial class ToolChild : IToolRun
{
    private const int Interrupt = 2; // SIGINT
    private const int CopiedChars = 4096;

    private readonly Process _process;
    private bool _isStopped;

    public ToolChild(string[] arguments, ToolText output, ToolText error)
    {
        ProcessStartInfo start = ToolProcess.StartInfo(arguments);
        start.StandardOutputEncoding = start.StandardErrorEncoding = Encoding.UTF8;

        // The streams of a command in this process take every character, whatever the locale is.
        start.Environment["LC_ALL"] = "C.UTF-8";
        _process = ToolProcess.Start(start);

        // The descriptors by which the runtime reads pipes stay out of the namespace.
        ExitCode = Task.Run(() => FinishAsync(output, error));
    }

    public Task<int> ExitCode { get; }

    public void Stop()
    {
        // A second signal would end it without its summary.
        if (Interlocked.Exchange(ref _isStopped, true) || _process.HasExited) return;

        _ = kill(_process.Id, Interrupt);
    }

    public void FailOutput() =>
        throw new NotSupportedException("A pipe fails at the next write: the test says NativeTool.SkipAsInside.");

    public async ValueTask DisposeAsync()
    {
        Stop();
        try
        {
            await ExitCode.WaitAsync(Tool.Patience);
        }
        finally
        {
            if (!_process.HasExited) _process.Kill(entireProcessTree: true);
            _process.Dispose();
        }
    }

    [LibraryImport("libc")]
    private static partial int kill(int process, int signal);

    private static async Task CopyAsync(StreamReader from, ToolText to)
    {
        char[] buffer = new char[CopiedChars];
        for (int count; (count = await from.ReadAsync(buffer)) > 0;) to.Write(buffer, 0, count);
    }

    private async Task<int> FinishAsync(ToolText output, ToolText error)
    {
        await Task.WhenAll(CopyAsync(_process.StandardOutput, output), CopyAsync(_process.StandardError, error));
        await _process.WaitForExitAsync();
        output.End();
        error.End();
        return _process.ExitCode;
    }
}
