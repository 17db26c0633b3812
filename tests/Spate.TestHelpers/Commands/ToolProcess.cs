using System.Diagnostics;
using Spate.TestHelpers.Runs;

namespace Spate.TestHelpers.Commands;

/// <summary>
/// Runs the built tool as a process of its own, its streams being pipes, if the process itself is tested: signals,
/// broken pipes, limits and variables of the process, namespaces. A process takes some tenths of a second of a CPU, so
/// everything else runs by <see cref="Tool"/>.
/// </summary>
internal static class ToolProcess
{
    /// <summary>Exit code of a script that cannot set up its network.</summary>
    private const int NoNetwork = 9;

    /// <summary>A short run takes a quarter of this on a quiet host.</summary>
    private static readonly TimeSpan PatiencePerProcess = TimeSpan.FromSeconds(1);

    /// <summary>The words by which the tool is started, before its arguments.</summary>
    public static IReadOnlyList<string> Words { get; } =
        NativeTool.Path is { } path ? [path] : ["dotnet", Path.Combine(AppContext.BaseDirectory, "Spate.Cli.dll")];

    /// <summary>The same words for a shell.</summary>
    public static string ShellWords => string.Join(' ', Words.Select(static word => $"'{word}'"));

    public static ProcessStartInfo StartInfo(params string[] arguments) => StartInfoOf([.. Words, .. arguments]);

    /// <summary>The same for any program.</summary>
    /// <param name="words">The program and its arguments.</param>
    public static ProcessStartInfo StartInfoOf(params string[] words) => new(words[0], words[1..])
    {
        RedirectStandardOutput = true,
        RedirectStandardError = true,
        UseShellExecute = false,
    };

    /// <summary>The same by another program, whose last arguments are the tool's command line.</summary>
    /// <param name="program">The program and its first arguments.</param>
    /// <param name="arguments">Arguments of the tool.</param>
    public static ProcessStartInfo StartInfoThrough(string[] program, params string[] arguments) =>
        StartInfoOf([.. program, .. Words, .. arguments]);

    /// <summary>Runs it by a shell that redirects its streams, as <c>&gt;/dev/full</c>.</summary>
    public static async Task<ToolResult> RunRedirectedAsync(string redirections, params string[] arguments)
    {
        using Process process = Start(
            StartInfoThrough(["sh", "-c", $"exec \"$@\" {redirections}", "sh"], arguments));
        return await FinishAsync(process);
    }

    /// <summary>
    /// Runs a shell script in a network namespace of its own, with all interfaces down, the loopback too;
    /// <c>"$@"</c> in it is the tool with these arguments. Skips the test if there can be none, or the script ends
    /// with <see cref="NoNetwork"/>.
    /// </summary>
    public static Task<ToolResult> RunInOwnNetworkAsync(string script, params string[] arguments) =>
        RunInOwnNetworkAsync(script, 1, arguments);

    /// <summary>The same for a script that starts the tool several times.</summary>
    /// <param name="script">The script.</param>
    /// <param name="count">Number of processes of the tool that it starts.</param>
    /// <param name="arguments">Arguments of the tool in <c>"$@"</c>.</param>
    public static async Task<ToolResult> RunInOwnNetworkAsync(string script, int count, params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "unshare(1) is needed");
        string namespaces = Environment.IsPrivilegedProcess ? "-n" : "-rn";
        using Process process = Start(
            StartInfoThrough(["unshare", namespaces, "--", "sh", "-c", script, "sh"], arguments), count);
        ToolResult result = await FinishAsync(process, count);
        Assert.SkipWhen(
            result.ExitCode == NoNetwork || result.Error.Contains("unshare failed", StringComparison.Ordinal),
            "no network namespace can be made here");
        return result;
    }

    /// <summary>Starts the tool with these arguments.</summary>
    public static Process Start(params string[] arguments) => Start(StartInfo(arguments));

    /// <summary>Starts it, or a program that starts it or a sample.</summary>
    /// <param name="start">The program and its arguments, made by <see cref="StartInfo"/>.</param>
    /// <param name="count">Number of processes of the tool or of samples that it starts.</param>
    public static Process Start(ProcessStartInfo start, int count = 1)
    {
        ProcessCount.Add(count);
        NativeTool.CountIn(start);
        return Process.Start(start)!;
    }

    public static async Task<ToolResult> RunAsync(params string[] arguments)
    {
        using Process process = Start(arguments);
        return await FinishAsync(process);
    }

    /// <summary>Runs any program, which is not counted as the tool.</summary>
    /// <param name="words">The program and its arguments.</param>
    public static Task<ToolResult> RunProgramAsync(params string[] words) => RunProgramAsync(StartInfoOf(words));

    /// <summary>The same with more than its words.</summary>
    /// <param name="start">Made by <see cref="StartInfoOf"/>.</param>
    public static async Task<ToolResult> RunProgramAsync(ProcessStartInfo start)
    {
        using Process process = Process.Start(start)!;
        return await FinishAsync(process);
    }

    /// <summary>Waits for a started tool to end by itself; ends it when it does not.</summary>
    /// <param name="process">The tool, or a program that starts it.</param>
    /// <param name="count">Number of processes of the tool that it starts, one after the other.</param>
    public static async Task<ToolResult> FinishAsync(Process process, int count = 1)
    {
        using var patience = new CancellationTokenSource(Tool.Patience + ((count - 1) * PatiencePerProcess));
        try
        {
            Task<string> output = process.StandardOutput.ReadToEndAsync(patience.Token);
            Task<string> error = process.StandardError.ReadToEndAsync(patience.Token);
            await process.WaitForExitAsync(patience.Token);
            return new ToolResult(process.ExitCode, await output, await error);
        }
        catch (OperationCanceledException late)
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException("The tool did not end.", late);
        }
    }
}
