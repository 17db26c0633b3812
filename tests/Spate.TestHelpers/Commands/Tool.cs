namespace Spate.TestHelpers.Commands;

/// <summary>Result of a run of the tool.</summary>
internal sealed record ToolResult(int ExitCode, string Output, string Error)
{
    public string[] ErrorLines => Error.Split('\n', StringSplitOptions.RemoveEmptyEntries);
}

/// <summary>Runs a command of the tool in this process. <see cref="ToolProcess"/> runs it as a process.</summary>
internal static class Tool
{
    /// <summary>Ends tests of a hanging tool; not a limit on speed.</summary>
    public static TimeSpan Patience { get; } = TimeSpan.FromSeconds(120);

    /// <summary>Runs a command to its end.</summary>
    public static async Task<ToolResult> RunAsync(params string[] arguments)
    {
        await using RunningTool tool = Start(arguments);
        return await tool.FinishAsync();
    }

    /// <summary>Starts a command that other ends reach, or that the test stops.</summary>
    public static RunningTool Start(params string[] arguments) => RunningTool.Start(arguments);
}
