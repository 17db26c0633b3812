using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Spate.HostTests.Abi;

/// <summary>The system's C compiler, asked to check text without producing anything, or another one.</summary>
internal static class CCompiler
{
    internal const string MissingReason =
        "no C compiler with the system's headers was found; install gcc (or cc, clang) and libc's development files";

    /// <summary>The compiler of Debian for arm64, if the headers of arm64 are checked in place of the host's.</summary>
    private static readonly string? Other = Environment.GetEnvironmentVariable("SPATE_C_COMPILER");

    /// <summary>The architecture whose headers are checked.</summary>
    internal static Architecture Target =>
        Other is null ? RuntimeInformation.ProcessArchitecture : Architecture.Arm64;

    internal static string? Path { get; } = !OperatingSystem.IsLinux() ? null
        : Other is not null ? Programs.Find(Other) : Programs.Find("gcc", "cc", "clang");

    /// <summary>Null when the text compiles, else what the compiler said.</summary>
    internal static Task<string?> CheckAsync(string text, CancellationToken cancellationToken) =>
        RunAsync(Path!, ["-std=gnu11", .. Headers, "-x", "c", "-fsyntax-only", "-"], text, cancellationToken);

    // liburing's header is the same for all, and comes from the host's folder.
    private static string[] Headers => Other is null ? [] : ["-idirafter", "/usr/include"];

    /// <summary>Null when a compiler accepts the text on its standard input, else its messages.</summary>
    internal static async Task<string?> RunAsync(
        string compilerPath, IEnumerable<string> arguments, string text, CancellationToken cancellationToken)
    {
        var start = new ProcessStartInfo(compilerPath, arguments)
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardError = true,
        };
        using Process compiler = Process.Start(start)!;
        Task<string> errors = compiler.StandardError.ReadToEndAsync(cancellationToken);
        await compiler.StandardInput.WriteAsync(text.AsMemory(), cancellationToken);
        compiler.StandardInput.Close();
        await compiler.WaitForExitAsync(cancellationToken);
        return compiler.ExitCode == 0 ? null : await errors;
    }
}
