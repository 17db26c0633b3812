using System.Reflection.PortableExecutable;

namespace Spate.CliTests;

/// <summary>The tool as <c>dotnet build -c Release</c> leaves it.</summary>
public sealed class ReadyToRunTests
{
    [Theory]
    [InlineData("Spate.Cli")]
    [InlineData("Spate")]
    [InlineData("Spate.Measurement")]
    [InlineData("Spate.HostTuning")]
    [InlineData("System.CommandLine")]
    public void Build_OfReleaseWithThePrecompilerAtHand_HoldsPrecompiledCode(string assembly)
    {
        string tests = Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory);
        string output = Path.GetFullPath(
            Path.Combine(tests, "../../../../../src/Spate.Cli/bin/Release", Path.GetFileName(tests)));
        Assert.SkipUnless(tests.Contains("Release", StringComparison.Ordinal), "not a Release build");
        Assert.SkipUnless(HasPrecompiler(), "the package microsoft.netcore.app.crossgen2 could not be had");

        using var image = new PEReader(File.OpenRead(Path.Combine(output, assembly + ".dll")));

        Assert.NotEqual(0, image.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size);
    }

    private static bool HasPrecompiler()
    {
        string packages = Environment.GetEnvironmentVariable("NUGET_PACKAGES") ?? Path.Combine(
            Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        return Directory.Exists(packages)
            && Directory.EnumerateDirectories(packages, "microsoft.netcore.app.crossgen2.*")
                .Any(static package => Directory.Exists(Path.Combine(package, Environment.Version.ToString())));
    }
}
