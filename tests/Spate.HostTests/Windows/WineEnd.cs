using System.Net;

namespace Spate.HostTests.Windows;

/// <summary>One end of a test: the tool for Windows under Wine, or the one of this system in this process.</summary>
internal sealed class WineEnd : IAsyncDisposable
{
    private readonly WineTool? _wine;
    private readonly RunningTool? _here;

    private WineEnd(WineTool? wine, RunningTool? here) => (_wine, _here) = (wine, here);

    public static WineEnd Start(bool isWine, params string[] arguments) => isWine
        ? new WineEnd(WineTool.Start(arguments), null)
        : new WineEnd(null, RunningTool.StartInside(arguments));

    public static async Task<ToolResult> RunAsync(bool isWine, params string[] arguments)
    {
        await using WineEnd end = Start(isWine, arguments);
        return await end.FinishAsync();
    }

    /// <summary>Reads lines of stderr up to the one with the tool's end point, and returns that.</summary>
    public Task<IPEndPoint> ReadEndPointAsync(string before) =>
        _wine?.ReadEndPointAsync(before) ?? _here!.ReadEndPointAsync(before);

    /// <summary>Reads lines of stdout up to one that holds a text.</summary>
    public Task WaitForOutputAsync(string text) =>
        _wine?.WaitForOutputAsync(text) ?? _here!.ReadOutputLineWithAsync(text);

    public Task<ToolResult> FinishAsync() => _wine?.FinishAsync() ?? _here!.FinishAsync();

    public async ValueTask DisposeAsync()
    {
        if (_wine is not null) await _wine.DisposeAsync();
        if (_here is not null) await _here.DisposeAsync();
    }
}
