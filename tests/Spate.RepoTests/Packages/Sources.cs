using System.Xml.Linq;

namespace Spate.RepoTests.Packages;

/// <summary>The repository that is packed.</summary>
internal static class Sources
{
    public static string Top { get; } = RepositoryTop.Path;

    /// <summary>The projects under src that become packages: the package has the project's name.</summary>
    public static IReadOnlyList<string> Packages { get; } = [.. Directory.EnumerateDirectories(Path.Combine(Top, "src"))
        .Select(folder => Path.GetFileName(folder))
        .Where(name => File.Exists(ProjectPath(name)) && Property(ProjectPath(name), "IsPackable") == "true")
        .Order(StringComparer.Ordinal)];

    public static string Version { get; } = Property(Path.Combine(Top, "Directory.Build.props"), "VersionPrefix")!;

    public static string RepositoryUrl { get; } =
        Property(Path.Combine(Top, "Directory.Build.props"), "RepositoryUrl") ?? "";

    /// <summary>NuGet's folder of packages that this repository was restored into.</summary>
    public static string PackageFolder { get; } = Environment.GetEnvironmentVariable("NUGET_PACKAGES") ?? Path.Combine(
        Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");

    public static bool IsTool(string package) => Property(ProjectPath(package), "PackAsTool") == "true";

    /// <summary>Names of the projects that a project refers to.</summary>
    public static IEnumerable<string> ReferencesOf(string package) =>
        from reference in XDocument.Load(ProjectPath(package)).Descendants("ProjectReference")
        select Path.GetFileNameWithoutExtension(((string)reference.Attribute("Include")!).Replace('\\', '/'));

    public static string Read(params ReadOnlySpan<string> path) => File.ReadAllText(Path.Combine([Top, .. path]));

    private static string ProjectPath(string name) => Path.Combine(Top, "src", name, name + ".csproj");

    private static string? Property(string path, string name) =>
        XDocument.Load(path).Descendants(name).FirstOrDefault()?.Value.Trim();
}
