using System.Text.Json;

namespace Spate.Build.Sbom;

/// <summary>One entry of a lock file.</summary>
/// <param name="Name">The package; a project by its name in src.</param>
/// <param name="Version">The exact version that the build uses.</param>
/// <param name="IsProject">Whether it is a project of this repository.</param>
/// <param name="IsDirect">Whether the project names it itself.</param>
/// <param name="ContentHash">NuGet's SHA-512 of it without its signature, in Base64; null of a project.</param>
/// <param name="Dependencies">The names of what it needs, as written there.</param>
internal sealed record LockedPackage(
    string Name, string Version, bool IsProject, bool IsDirect, string? ContentHash,
    IReadOnlyList<string> Dependencies);

/// <summary>Reads <c>packages.lock.json</c>, the versions 1 and 2 of its format.</summary>
internal static class LockFile
{
    private const string Framework = "net10.0";

    /// <summary>All entries for the one framework that Spate is built for, ordered by name.</summary>
    /// <param name="json">The text of the file.</param>
    /// <param name="projectVersion">The version that projects of this repository are packed with.</param>
    /// <param name="projects">Their names: the lock file has them in small letters.</param>
    public static IReadOnlyList<LockedPackage> Parse(
        string json, string projectVersion, IReadOnlyCollection<string> projects)
    {
        using JsonDocument document = JsonDocument.Parse(json);
        JsonElement root = document.RootElement;
        if (root.GetProperty("version").GetInt32() is not (1 or 2))
        {
            throw new BuildException("a lock file of another version than 1 or 2; Spate.Build must learn its format");
        }

        return [.. root.GetProperty("dependencies").GetProperty(Framework).EnumerateObject()
            .Select(entry => Read(entry, projectVersion, projects))
            .OrderBy(locked => locked.Name, StringComparer.Ordinal)];
    }

    private static LockedPackage Read(
        JsonProperty entry, string projectVersion, IReadOnlyCollection<string> projects)
    {
        string type = entry.Value.GetProperty("type").GetString()!;
        string[] dependencies = entry.Value.TryGetProperty("dependencies", out JsonElement needed)
            ? [.. needed.EnumerateObject().Select(one => one.Name)]
            : [];
        if (type == "Project")
        {
            string name = projects.FirstOrDefault(
                project => project.Equals(entry.Name, StringComparison.OrdinalIgnoreCase)) ?? entry.Name;
            return new LockedPackage(name, projectVersion, true, true, null, dependencies);
        }

        return new LockedPackage(
            entry.Name,
            entry.Value.GetProperty("resolved").GetString()!,
            IsProject: false,
            type == "Direct",
            entry.Value.GetProperty("contentHash").GetString(),
            dependencies);
    }
}
