using System.Diagnostics;

namespace Spate.HostTests.Cli.Doctor;

/// <summary>
/// A copy of the tool that every user can read, since the folder of the tests may be closed to others. Removed by
/// Dispose.
/// </summary>
internal sealed class ReadableTool : IDisposable
{
    private const UnixFileMode ForAll = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute
        | UnixFileMode.GroupRead | UnixFileMode.GroupExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;

    private readonly DirectoryInfo _folder;

    public ReadableTool()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "setpriv(1) as root is needed");

        // Only after the check: nothing disposes an object whose constructor throws, so the folder would stay.
        _folder = Directory.CreateTempSubdirectory("spate-readable-");
        if (!OperatingSystem.IsLinux()) return;

        File.SetUnixFileMode(_folder.FullName, ForAll);
        foreach (string file in FilesOfTheTool())
        {
            string copy = Path.Combine(_folder.FullName, Path.GetFileName(file));
            File.Copy(file, copy);
            File.SetUnixFileMode(copy, ForAll);
        }
    }

    /// <summary>The words of a command of the tool that runs it as a user without privileges.</summary>
    public string[] AsNobody(params string[] arguments)
    {
        NativeTool.Count();
        string copy = Path.Combine(_folder.FullName, Path.GetFileName(ToolProcess.Words[^1]));
        return
        [
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
            .. ToolProcess.Words.SkipLast(1), copy, .. arguments,
        ];
    }

    /// <summary>Skips the test where setpriv is missing or nobody cannot run dotnet itself.</summary>
    public static void SkipIfItCannotRun(ToolResult result) => Assert.SkipWhen(
        result.ExitCode is 126 or 127 || result.Error.Contains("setpriv", StringComparison.Ordinal),
        "nobody cannot run dotnet here");

    /// <summary>How <see cref="AsNobody"/> is started.</summary>
    public ProcessStartInfo StartInfo(params string[] arguments) => ToolProcess.StartInfoOf(AsNobody(arguments));

    public void Dispose() => _folder.Delete(recursive: true);

    private static IEnumerable<string> FilesOfTheTool() => NativeTool.Path is { } native
        ? [native]
        : Directory.GetFiles(AppContext.BaseDirectory).Where(static file =>
            Path.GetFileName(file).StartsWith("Spate", StringComparison.Ordinal)
            || file.EndsWith(".dll", StringComparison.Ordinal));
}
