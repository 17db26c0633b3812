using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text.RegularExpressions;

namespace Spate.RepoTests.Packages;

/// <summary>A program that runs for as long as a test needs it; disposing ends it.</summary>
internal sealed partial class RunningProgram : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly Process _process;
    private readonly Task<string> _error;

    public RunningProgram(ProcessStartInfo start)
    {
        ProcessCount.Add();
        _process = Process.Start(start)!;
        _error = _process.StandardError.ReadToEndAsync();
    }

    /// <summary>The next line that it prints; null when it has ended.</summary>
    public Task<string?> ReadLineAsync() => _process.StandardOutput.ReadLineAsync().WaitAsync(Patience);

    /// <summary>Reads lines until one names an end point on loopback with a port; null when there is none.</summary>
    public async Task<IPEndPoint?> ReadEndPointAsync()
    {
        while (await ReadLineAsync() is { } line)
        {
            Match match = LoopbackEndPoint().Match(line);
            if (match.Success) return IPEndPoint.Parse(match.Value);
        }

        return null;
    }

    /// <summary>
    /// Sends it datagrams, one after the other, until it answers, prints a line or ends; true if it ended.
    /// </summary>
    public async Task<bool> NudgeAsync(IPEndPoint target)
    {
        using var socket = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        Task<string?> printed = ReadLineAsync();
        Task answered = socket.ReceiveAsync();
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < Patience)
        {
            await socket.SendAsync("datagram"u8.ToArray(), target);
            // The output of a program that ends is closed, which reads as null.
            if (!await EndsSoonAsync(Task.WhenAny(printed, answered))) continue;
            return printed.IsCompleted && await printed is null;
        }

        throw new TimeoutException($"no answer from {target}, and nothing printed");
    }

    /// <summary>Asks it to end as a service manager does, and returns its exit code and its complaints.</summary>
    public async Task<(int ExitCode, string Error)> TerminateAsync()
    {
        // One that ends by itself in the meantime is as good.
        if (!_process.HasExited)
        {
            await Shell.RunAsync(Shell.StartInfo(Path.GetTempPath(), null, "kill", "-TERM", $"{_process.Id}"));
        }

        return await EndAsync();
    }

    /// <summary>Waits for it to end by itself.</summary>
    public async Task<(int ExitCode, string Error)> EndAsync()
    {
        // What it still prints must be read, or it could wait for a reader for ever.
        await _process.StandardOutput.ReadToEndAsync().WaitAsync(Patience);
        await _process.WaitForExitAsync().WaitAsync(Patience);
        return (_process.ExitCode, await _error);
    }

    public void Dispose()
    {
        if (!_process.HasExited) _process.Kill(entireProcessTree: true);
        _process.Dispose();
    }

    private static async Task<bool> EndsSoonAsync(Task<Task> any)
    {
        try
        {
            await (await any.WaitAsync(TimeSpan.FromMilliseconds(100)));
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
        catch (SocketException)
        {
            // The port is not open yet, and the system says so.
            return false;
        }
    }

    [GeneratedRegex(@"127\.0\.0\.1:\d+|\[::1\]:\d+", RegexOptions.NonBacktracking)]
    private static partial Regex LoopbackEndPoint();
}
