using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Spate.Measurement.Reports;

namespace Spate.Cli.Shell;

/// <summary>A child process and its output up to a bound. Disposal ends a process that still runs, by its id.</summary>
internal sealed class ChildProcess : IDisposable
{
    private const int MaxOutputChars = 1024 * 1024;

    private readonly Process _process;
    private readonly StringBuilder _output = new();

    public ChildProcess(string path, string[] arguments)
    {
        var start = new ProcessStartInfo(path, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
            UseShellExecute = false,
        };

        // The parsers expect the decimal points and the words of the C locale.
        start.Environment["LC_ALL"] = "C";
        try
        {
            _process = Process.Start(start) ?? throw new BenchException($"{path} could not be started.");
        }
        catch (Win32Exception e)
        {
            throw new BenchException($"{path} could not be started: {PrintableText.OneLine(e.Message)}", e);
        }
        _process.OutputDataReceived += Collect;
        _process.ErrorDataReceived += Collect;
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        _process.StandardInput.Close();
    }

    public int? ExitCode => _process.HasExited ? _process.ExitCode : null;

    public bool WaitForExit(TimeSpan timeout) => _process.WaitForExit(timeout);

    /// <summary>Asks the process to end with SIGINT, as Ctrl-C does. Does nothing on systems without signals.</summary>
    public void Interrupt()
    {
        if (OperatingSystem.IsWindows() || _process.HasExited) return;

        // .NET has no call of kill(2), and every Unix has the kill of its shell.
        string id = _process.Id.ToString(CultureInfo.InvariantCulture);
        using Process? shell = Process.Start(new ProcessStartInfo("/bin/sh", ["-c", "kill -INT \"$0\"", id]));
        _ = shell?.WaitForExit(TimeSpan.FromSeconds(1));
    }

    /// <summary>Standard output and standard error so far, in the order of arrival, up to the bound.</summary>
    public string ReadOutput()
    {
        if (_process.HasExited)
        {
            // This also waits for the end of both streams. A grandchild could keep them open, hence the limit.
            _ = _process.WaitForExitAsync().Wait(TimeSpan.FromSeconds(1));
        }
        lock (_output)
        {
            return _output.ToString();
        }
    }

    public void Dispose()
    {
        try
        {
            if (!_process.HasExited)
            {
                _process.Kill(entireProcessTree: true);
                _ = _process.WaitForExit(TimeSpan.FromSeconds(1));
            }
        }
        catch (Exception e) when (e is InvalidOperationException or Win32Exception)
        {
            // The process ended in the meantime.
        }
        _process.Dispose();
    }

    private void Collect(object sender, DataReceivedEventArgs e)
    {
        lock (_output)
        {
            if (e.Data is string line && _output.Length + line.Length < MaxOutputChars)
            {
                _ = _output.Append(line).Append('\n');
            }
        }
    }
}
