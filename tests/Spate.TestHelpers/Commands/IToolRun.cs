namespace Spate.TestHelpers.Commands;

/// <summary>How a command of <see cref="RunningTool"/> runs.</summary>
internal interface IToolRun : IAsyncDisposable
{
    /// <summary>The exit code, when the command has ended and both of its streams have.</summary>
    Task<int> ExitCode { get; }

    /// <summary>Asks it to end, as the first signal does.</summary>
    void Stop();

    /// <summary>Lets its stdout fail, as a reader does that has gone.</summary>
    void FailOutput();
}
