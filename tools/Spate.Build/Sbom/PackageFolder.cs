using System.Text.Json;
using System.Xml.Linq;

namespace Spate.Build.Sbom;

/// <summary>The folder into which NuGet unpacks packages, which tells what a lock file does not.</summary>
/// <param name="path">The folder.</param>
internal sealed class PackageFolder(string path)
{
    /// <summary>Folders of a package whose files take part in a program; others only help to build it.</summary>
    private static readonly string[] RuntimeFolders = ["lib", "ref", "runtimes", "contentFiles"];

    /// <summary>The user's folder, as NuGet finds it.</summary>
    public static PackageFolder OfUser() => new(
        Environment.GetEnvironmentVariable("NUGET_PACKAGES") ?? Path.Combine(
            Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages"));

    /// <summary>Whether nothing of the package gets into what is built: an analyzer, a task of the build.</summary>
    public bool IsBuildTool(string name, string version)
    {
        string folder = Find(name, version);
        return !RuntimeFolders.Any(one => Directory.Exists(Path.Combine(folder, one)));
    }

    /// <summary>Licence (an SPDX expression) and copyright line; null where it states none.</summary>
    public (string? Licence, string? Copyright) ReadTerms(string name, string version)
    {
        string lower = Lower(name);
        XElement[] metadata = [.. XDocument.Load(Path.Combine(Find(name, version), lower + ".nuspec")).Descendants()];
        string? licence = metadata.FirstOrDefault(element =>
            element.Name.LocalName == "license" && (string?)element.Attribute("type") == "expression")?.Value;
        return (licence, metadata.FirstOrDefault(element => element.Name.LocalName == "copyright")?.Value);
    }

    /// <summary>A package that no lock file names, because the SDK adds it by itself.</summary>
    public LockedPackage Describe(string name, string version)
    {
        using JsonDocument metadata = JsonDocument.Parse(
            File.ReadAllText(Path.Combine(Find(name, version), ".nupkg.metadata")));
        string hash = metadata.RootElement.GetProperty("contentHash").GetString()!;
        return new LockedPackage(name, version, IsProject: false, IsDirect: true, hash, []);
    }

    private string Find(string name, string version)
    {
        string folder = Path.Combine(path, Lower(name), Lower(version));
        return Directory.Exists(folder)
            ? folder
            : throw new BuildException($"{name} {version} is not in NuGet's folder of packages; run dotnet restore");
    }

    // NuGet names its folders in small letters.
    private static string Lower(string text) => text.ToLowerInvariant();
}
