using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Spate.Measurement.Bench.Peers;

/// <summary>A child and its output up to a bound; disposing ends it, by its own id, if it still runs.</summary>
internal sealed class ChildProcess : IDisposable
{
    private const int LongestOutput = 1024 * 1024;

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

        // Decimal points and words as the parsers expect them.
        start.Environment["LC_ALL"] = "C";
        try
        {
            _process = Process.Start(start) ?? throw new BenchException($"{path} could not be started.");
        }
        catch (Win32Exception e)
        {
            throw new BenchException($"{path} could not be started: {BenchText.OneLine(e.Message)}", e);
        }
        _process.OutputDataReceived += Collect;
        _process.ErrorDataReceived += Collect;
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        _process.StandardInput.Close();
    }

    /// <summary>True when it has ended within the time.</summary>
    public bool WaitForExit(TimeSpan timeout) => _process.WaitForExit(timeout);

    /// <summary>Asks it to end by SIGINT, as Ctrl-C would. Does nothing where there are no signals.</summary>
    public void Interrupt()
    {
        if (OperatingSystem.IsWindows() || _process.HasExited) return;

        // The base library has no kill(2); the shell's own kill is on every Unix.
        string id = _process.Id.ToString(CultureInfo.InvariantCulture);
        using Process? shell = Process.Start(new ProcessStartInfo("/bin/sh", ["-c", "kill -INT \"$0\"", id]));
        _ = shell?.WaitForExit(TimeSpan.FromSeconds(1));
    }

    /// <summary>Standard output and errors so far, in the order of arrival, bounded.</summary>
    public string ReadOutput()
    {
        if (_process.HasExited)
        {
            // Without a time limit this also waits for the end of both streams, which a grandchild could keep open.
            _ = _process.WaitForExitAsync().Wait(TimeSpan.FromSeconds(1));
        }
        lock (_output)
        {
            return _output.ToString();
        }
    }

    /// <summary>Ends it if it still runs.</summary>
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
            // It ended in the meantime.
        }
        _process.Dispose();
    }

    private void Collect(object sender, DataReceivedEventArgs e)
    {
        lock (_output)
        {
            if (e.Data is string line && _output.Length + line.Length < LongestOutput)
            {
                _ = _output.Append(line).Append('\n');
            }
        }
    }
}
