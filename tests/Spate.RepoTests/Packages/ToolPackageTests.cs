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
        string folder = Directory.CreateDirectory(Path.Combine(packed.Work, "tool")).FullName;
        await File.WriteAllTextAsync(
            Path.Combine(folder, "nuget.config"), Consumers.NuGetConfig(packed.Feed),
            TestContext.Current.CancellationToken);

        await Shell.SucceedAsync(Shell.StartInfo(
            folder, packed.OwnPackageFolder, "dotnet", "tool", "install", "Spate.Cli", "--tool-path", folder,
            "--version", Sources.Version, "--configfile", Path.Combine(folder, "nuget.config")));
        string spate = Path.Combine(folder, "spate");
        ProcessCount.Add();
        ShellResult info = await Shell.SucceedAsync(
            Shell.StartInfo(folder, packed.OwnPackageFolder, spate, "info", "--json", "-"));

        using JsonDocument report = JsonDocument.Parse(info.Output);
        Assert.StartsWith(
            Sources.Version, report.RootElement.GetProperty("spateVersion").GetString(), StringComparison.Ordinal);
    }
}
