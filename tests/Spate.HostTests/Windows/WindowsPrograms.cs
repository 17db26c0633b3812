namespace Spate.HostTests.Windows;

/// <summary>Programs that were published for Windows; <c>test.sh --windows</c> names their folder.</summary>
internal static class WindowsPrograms
{
    private const string Variable = "SPATE_WINDOWS";

    /// <summary>Skips the test in a run that publishes none.</summary>
    /// <returns>The folder of all programs.</returns>
    public static string Require()
    {
        string folder = Environment.GetEnvironmentVariable(Variable) ?? "";
        Assert.SkipWhen(folder.Length == 0, $"{Variable}: test.sh --windows publishes the programs");
        return folder;
    }

    /// <summary>The same for one program.</summary>
    /// <param name="part">Its folder.</param>
    /// <param name="name">Its file, without the ending.</param>
    /// <returns>The path of its file.</returns>
    public static string Require(string part, string name)
    {
        string path = Path.Combine(Require(), part, name + ".exe");
        Assert.True(File.Exists(path), $"{Variable} has no {path}");
        return path;
    }

    /// <summary>
    /// The variables with which a program runs over the stand-in for the parts of Winsock that Wine lacks.
    /// </summary>
    public static IReadOnlyDictionary<string, string> OverStandIn() =>
        new Dictionary<string, string>(StringComparer.Ordinal)
        {
            ["SPATE_STANDIN"] = OfWine("standin.dll"),
            ["DOTNET_STARTUP_HOOKS"] = OfWine("Spate.StandIn.dll"),
        };

    // The runtime wants paths of Windows. Wine's drive Z is the root of the host.
    private static string OfWine(string file) =>
        "Z:" + Path.GetFullPath(Path.Combine(Require(), "standin", file)).Replace('/', '\\');
}
