using System.Diagnostics;
using System.Text;

namespace Spate.HostTests.Windows;

/// <summary>
/// A copy of the Wine prefix that WINEPREFIX names, with processes of its own: other programs of that prefix are not
/// disturbed, and whatever runs here ends with it. Its event log can be read.
/// </summary>
internal sealed class WinePrefix : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(100);

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("spate-wine-");
    private readonly StringBuilder _log = new();
    private Process? _session;

    private WinePrefix()
    {
    }

    /// <summary>The folder that programs of the prefix see as <c>C:\Program Files</c>.</summary>
    public string ProgramFiles => Path.Combine(Prefix, "drive_c", "Program Files");

    private string Prefix => Path.Combine(_folder.FullName, "prefix");

    public static async Task<WinePrefix> StartAsync()
    {
        Programs.Require("wine", "wine");
        string model = Environment.GetEnvironmentVariable("WINEPREFIX") ?? "";
        Assert.True(
            File.Exists(Path.Combine(model, "system.reg")),
            $"WINEPREFIX is '{model}': expected a Wine prefix, written to disk. To make one: "
            + "WINEPREFIX=FOLDER sh -c 'wineboot; wineserver -w'");
        var prefix = new WinePrefix();
        try
        {
            await prefix.SucceedAsync("cp", "-a", "--reflink=auto", model, prefix.Prefix);
            await prefix.StartSessionAsync();
            return prefix;
        }
        catch
        {
            await prefix.DisposeAsync();
            throw;
        }
    }

    /// <summary>Runs a program that must succeed; returns its output.</summary>
    public async Task<string> SucceedAsync(params string[] words)
    {
        ToolResult result = await RunAsync(words);
        Assert.True(
            result.ExitCode == 0,
            $"'{string.Join(' ', words)}' ended with exit code {result.ExitCode}: {result.Output}{result.Error}");
        return result.Output;
    }

    public Task<ToolResult> RunAsync(params string[] words) => ToolProcess.RunProgramAsync(StartInfo("-all", words));

    /// <summary>
    /// Waits for the next event whose text has this part, and passes over those before it. Fails at once on an error.
    /// </summary>
    public async Task<string> NextEventAsync(string part)
    {
        using var patience = new CancellationTokenSource(Patience);
        try
        {
            while (await _session!.StandardError.ReadLineAsync(patience.Token) is { } line)
            {
                _log.AppendLine(line);
                if (line.Contains(part, StringComparison.Ordinal)) return line;
                if (line.Contains(":err:eventlog:", StringComparison.Ordinal)) break;
            }
        }
        catch (OperationCanceledException)
        {
            // The exception below has the log.
        }

        throw new InvalidOperationException($"The event '{part}' did not come. The event log has:\n{_log}");
    }

    public async ValueTask DisposeAsync()
    {
        if (_session is not null)
        {
            // Ends all processes of this prefix, and waits for them.
            await RunAsync("wineserver", "-k");
            await _session.WaitForExitAsync().WaitAsync(Patience);
            _session.Dispose();
        }

        _folder.Delete(recursive: true);
    }

    // Wine keeps no event log: it prints events (channel eventlog) to the stderr that the manager of services has from
    // the first process of the prefix. Wine ends the manager when no other process is left, so this one stays.
    private async Task StartSessionAsync()
    {
        ProcessStartInfo start = StartInfo("-all,+eventlog", "wine", "cmd");
        start.RedirectStandardInput = true;
        _session = Process.Start(start)!;
        using var patience = new CancellationTokenSource(Patience);
        Assert.NotNull(await _session.StandardOutput.ReadLineAsync(patience.Token));
    }

    private ProcessStartInfo StartInfo(string channels, params string[] words)
    {
        ProcessStartInfo start = ToolProcess.StartInfoOf(words);
        start.Environment["WINEPREFIX"] = Prefix;
        start.Environment["WINEDEBUG"] = channels;
        start.Environment.Remove("DISPLAY");
        return start;
    }
}
