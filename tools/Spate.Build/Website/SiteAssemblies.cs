using System.Text.Json;
using Spate.Build.ApiLists;

namespace Spate.Build.Website;

/// <summary>The assemblies for the C# reference, with the packages that they are compiled against.</summary>
internal static class SiteAssemblies
{
    private const string Described = "assemblies";
    private const string Referenced = "packages";

    public static void Write(string top, string configuration, string output)
    {
        IReadOnlyList<string> names = PackageAssemblies.Names(top);
        foreach (string path in PackageAssemblies.Load(top, names, configuration).Paths)
        {
            string document = Path.ChangeExtension(path, ".xml");
            if (!File.Exists(document))
            {
                throw new BuildException($"{document} is missing: dotnet build -c {configuration} makes it");
            }

            Copy(path, Path.Combine(output, Described));
            Copy(document, Path.Combine(output, Described));
        }

        foreach (string path in names.SelectMany(name => CompiledAgainst(Path.Combine(top, "src", name))))
            Copy(path, Path.Combine(output, Referenced));
    }

    /// <summary>The assemblies of other packages, as the last restore has found them.</summary>
    private static IEnumerable<string> CompiledAgainst(string project)
    {
        string path = Path.Combine(project, "obj", "project.assets.json");
        if (!File.Exists(path)) throw new BuildException($"{path} is missing: dotnet restore makes it");
        using JsonDocument assets = JsonDocument.Parse(File.ReadAllText(path));
        string[] folders =
            [.. assets.RootElement.GetProperty("packageFolders").EnumerateObject().Select(folder => folder.Name)];
        JsonElement target = assets.RootElement.GetProperty("targets").EnumerateObject().First().Value;
        return
        [
            .. from package in target.EnumerateObject()
               where package.Value.GetProperty("type").GetString() == "package"
                   && package.Value.TryGetProperty("compile", out _)
               from file in package.Value.GetProperty("compile").EnumerateObject()
               from folder in folders

               // NuGet names its folders in small letters.
               let assembly = Path.Combine(folder, package.Name.ToLowerInvariant(), file.Name)
               where assembly.EndsWith(".dll", StringComparison.Ordinal) && File.Exists(assembly)
               select assembly,
        ];
    }

    private static void Copy(string path, string folder)
    {
        Directory.CreateDirectory(folder);
        File.Copy(path, Path.Combine(folder, Path.GetFileName(path)), overwrite: true);
    }
}
