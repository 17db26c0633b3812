namespace Spate.CliTests.Test;

/// <summary><c>spate test -s</c> in this process, on the loopback.</summary>
internal sealed class RunningTestServer : IAsyncDisposable
{
    private readonly RunningTool _tool;

    private RunningTestServer(RunningTool tool, string endPoint)
    {
        _tool = tool;
        EndPoint = endPoint;
    }

    public string EndPoint { get; }

    public static async Task<RunningTestServer> StartAsync(params string[] options)
    {
        RunningTool tool = Tool.Start(["test", "-s", "127.0.0.1:0", .. options]);
        return new RunningTestServer(tool, $"{await tool.ReadEndPointAsync("waiting for tests at ")}");
    }

    /// <summary>Waits until it ends by itself, and returns what it said after its first line.</summary>
    public Task<ToolResult> FinishAsync() => _tool.FinishAsync();

    /// <summary>Ends it as a signal does, and returns its output after the first line.</summary>
    public Task<ToolResult> StopAsync()
    {
        _tool.Stop();
        return _tool.FinishAsync();
    }

    public ValueTask DisposeAsync() => _tool.DisposeAsync();
}
