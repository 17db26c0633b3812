using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Spate.RepoTests.Packages;

/// <summary>What a program left behind.</summary>
internal sealed record ShellResult(int ExitCode, string Output, string Error)
{
    public string All => $"exit code {ExitCode}\n{Output}\n{Error}";
}

/// <summary>Runs programs with a bound on their time, and with a package folder of their own.</summary>
internal static class Shell
{
    // Nothing here is about speed: the limit only keeps a hanging program from hanging the tests. Two whole builds of
    // a release may take ten minutes on two busy cores.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(15);

    /// <summary>Where the runtime lies that runs these tests; the tool's own program looks for it there.</summary>
    private static readonly string DotnetRoot =
        Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));

    public static ProcessStartInfo StartInfo(
        string folder, string? packages, string program, params IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
            UseShellExecute = false,
        };
        start.Environment["DOTNET_ROOT"] = DotnetRoot;
        start.Environment["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1";
        start.Environment["DOTNET_NOLOGO"] = "1";
        start.Environment["DOTNET_CLI_USE_MSBUILD_SERVER"] = "0";
        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        if (packages is not null) start.Environment["NUGET_PACKAGES"] = packages;
        return start;
    }

    public static async Task<ShellResult> RunAsync(ProcessStartInfo start)
    {
        using Process process = Process.Start(start)!;
        process.StandardInput.Close();
        using var patience = new CancellationTokenSource(Patience);
        try
        {
            Task<string> output = process.StandardOutput.ReadToEndAsync(patience.Token);
            Task<string> error = process.StandardError.ReadToEndAsync(patience.Token);
            await process.WaitForExitAsync(patience.Token);
            return new ShellResult(process.ExitCode, await output, await error);
        }
        catch (OperationCanceledException late)
        {
            process.Kill(entireProcessTree: true);
            throw new TimeoutException($"{start.FileName} {string.Join(' ', start.ArgumentList)} did not end.", late);
        }
    }

    /// <summary>The same, and fails the test with all that was printed if the program does.</summary>
    public static async Task<ShellResult> SucceedAsync(ProcessStartInfo start)
    {
        ShellResult result = await RunAsync(start);
        Assert.True(
            result.ExitCode == 0, $"{start.FileName} {string.Join(' ', start.ArgumentList)}: {result.All}");
        return result;
    }
}
