using System.Diagnostics;

namespace Spate.CliTests.Test;

/// <summary><c>spate test -s</c> as a process on the loopback, for tests that stop it or count its files.</summary>
internal sealed class TestServerProcess : IAsyncDisposable
{
    private readonly Process _process;
    private bool _isDisposed;

    private TestServerProcess(Process process, string endPoint)
    {
        _process = process;
        EndPoint = endPoint;
    }

    public string EndPoint { get; }

    public int ProcessId => _process.Id;

    public static async Task<TestServerProcess> StartAsync(params string[] options)
    {
        const string said = "spate: waiting for tests at ";
        Process process = ToolProcess.Start(["test", "-s", "127.0.0.1:0", .. options]);
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        while (await process.StandardError.ReadLineAsync(patience.Token) is { } line)
        {
            if (line.StartsWith(said, StringComparison.Ordinal))
            {
                return new TestServerProcess(process, line[said.Length..]);
            }
        }

        throw new InvalidOperationException($"The server ended with exit code {process.ExitCode}.");
    }

    /// <summary>Reads its output after the first line, until it ends.</summary>
    public Task<string> ReadLogAsync() => _process.StandardError.ReadToEndAsync();

    public async ValueTask DisposeAsync()
    {
        if (_isDisposed) return;

        _isDisposed = true;
        if (!_process.HasExited) _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }
}
