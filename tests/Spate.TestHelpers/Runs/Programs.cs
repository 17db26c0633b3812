namespace Spate.TestHelpers.Runs;

/// <summary>Programs of the system that a test needs.</summary>
internal static class Programs
{
    // Not in every user's PATH, though any user may run its programs.
    private static readonly string[] SystemFolders = ["/usr/sbin", "/sbin"];

    /// <summary>The first of these programs that is installed; null if none is.</summary>
    public static string? Find(params string[] names)
    {
        string[] folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
        return names
            .SelectMany(name => folders.Concat(SystemFolders).Select(folder => Path.Combine(folder, name)))
            .FirstOrDefault(File.Exists);
    }

    /// <summary>Skips the test where a program is missing.</summary>
    /// <param name="name">The program.</param>
    /// <param name="package">Debian's package.</param>
    public static void Require(string name, string package) =>
        Assert.SkipWhen(Find(name) is null, $"the program {name} ({package}) is not installed");
}
