using System.Text.Json;

namespace Spate.RepoTests.Packages;

/// <summary>The tool, installed from its package as a user installs it.</summary>
[Collection(PackedCollection.Name)]
public sealed class ToolPackageTests(PackedPackages packed)
{
    [Fact]
    public async Task Tool_Installed_RunsAndNamesItsVersion()
    {
        PackedPackages.SkipWithoutPackages();

        await InstallAsync(packed, packed.Feed, "Spate.Cli");
    }

    /// <summary>Installs a package of the tool and runs it.</summary>
    /// <param name="packed">The folder of the tests.</param>
    /// <param name="feed">The folder of the packages.</param>
    /// <param name="package">The package.</param>
    /// <returns>The folder into which it was installed.</returns>
    public static async Task<string> InstallAsync(PackedPackages packed, string feed, string package)
    {
        string name = $"{Path.GetFileName(feed)}-{package}";
        string folder = Directory.CreateDirectory(Path.Combine(packed.Work, name)).FullName;
        string packages = Path.Combine(folder, "packages");
        await File.WriteAllTextAsync(
            Path.Combine(folder, "nuget.config"), Consumers.NuGetConfig(feed),
            TestContext.Current.CancellationToken);

        await Shell.SucceedAsync(Shell.StartInfo(
            folder, packages, "dotnet", "tool", "install", package, "--tool-path", folder,
            "--version", Sources.Version, "--configfile", Path.Combine(folder, "nuget.config")));
        string spate = Path.Combine(folder, "spate");
        ProcessCount.Add();
        ShellResult info = await Shell.SucceedAsync(
            Shell.StartInfo(folder, packages, spate, "info", "--json", "-"));

        using JsonDocument report = JsonDocument.Parse(info.Output);
        Assert.StartsWith(
            Sources.Version, report.RootElement.GetProperty("spateVersion").GetString(), StringComparison.Ordinal);
        return folder;
    }
}
