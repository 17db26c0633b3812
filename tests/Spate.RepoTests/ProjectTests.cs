using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class ProjectTests
{
    private static IEnumerable<SourceFile> Projects => Repository.Files.Where(file => file.IsProject);

    private static IEnumerable<SourceFile> BuildFiles => Repository.Files.Where(file =>
        file.IsProject || file.FileName.EndsWith(".props", StringComparison.Ordinal) ||
        file.FileName.EndsWith(".targets", StringComparison.Ordinal));

    [Fact]
    public void References_OfTheProjects_PointDownOnly() =>
        Repository.AssertNone(Projects, ProjectRules.ForbiddenReference);

    [Fact]
    public void Library_OfTheRepository_DependsOnNoPackage() =>
        Repository.AssertNone(Projects, ProjectRules.PackageInLibrary);

    [Fact]
    public void Internals_OfTheProjects_AreOpenToTestsAndPartsOfTheTool() =>
        Repository.AssertNone(BuildFiles, ProjectRules.InternalsOpened);

    [Fact]
    public void Sources_OfTheTests_AreNotLinked() =>
        Repository.AssertNone(Projects, ProjectRules.LinkedSource);

    [Fact]
    public void Internals_OfTheCode_AreNotOpenedByAttribute() =>
        Repository.AssertNone(Repository.CSharp, ProjectRules.InternalsOpenedInCode);

    [Fact]
    public void Versions_OfPackages_StandInOneFile() =>
        Repository.AssertNone(BuildFiles, ProjectRules.VersionOutsideItsFile);

    [Theory]
    [InlineData("src/Spate/Spate.csproj", "../Spate.HostTuning/Spate.HostTuning.csproj", true)]
    [InlineData("src/Spate.HostTuning/Spate.HostTuning.csproj", "../Spate/Spate.csproj", false)]
    [InlineData("src/Spate.HostTuning/Spate.HostTuning.csproj", "../Spate.Measurement/Spate.Measurement.csproj", true)]
    [InlineData("src/Spate.Measurement/Spate.Measurement.csproj", "../Spate.HostTuning/Spate.HostTuning.csproj", false)]
    [InlineData("src/Spate.Measurement/Spate.Measurement.csproj", @"..\Spate.Cli\Spate.Cli.csproj", true)]
    [InlineData("src/Spate.Cli/Spate.Cli.csproj", @"..\Spate.Measurement\Spate.Measurement.csproj", false)]
    [InlineData("src/Spate.New/Spate.New.csproj", "../Spate/Spate.csproj", true)]
    [InlineData("samples/Echo/Echo.csproj", "../../src/Spate.Cli/Spate.Cli.csproj", true)]
    [InlineData("samples/Echo/Echo.csproj", "../../src/Spate.Measurement/Spate.Measurement.csproj", true)]
    [InlineData("samples/Echo/Echo.csproj", "../../src/Spate/Spate.csproj", false)]
    [InlineData("tests/Spate.CliTests/Spate.CliTests.csproj", "../../src/Spate.Cli/Spate.Cli.csproj", false)]
    public void ForbiddenReference_ByDirection_IsRefused(string path, string target, bool refused)
    {
        SourceFile file = Offender.At(
            path, $"<Project>\n<ItemGroup><ProjectReference Include=\"{target}\" /></ItemGroup></Project>");

        Assert.Equal(refused, ProjectRules.ForbiddenReference(file).Any());
    }

    [Fact]
    public void PackageInLibrary_AnyPackage_IsRefused()
    {
        const string Text = "<Project>\n<ItemGroup>\n<PackageReference Include=\"X\" />\n</ItemGroup></Project>";

        Assert.Equal([3], Offender.Lines(ProjectRules.PackageInLibrary, "src/Spate/Spate.csproj", Text));
        Assert.Empty(Offender.Lines(ProjectRules.PackageInLibrary, "src/Spate.Cli/Spate.Cli.csproj", Text));
    }

    [Theory]
    [InlineData("Spate", "Spate.Tests", false)]
    [InlineData("Spate", "Spate.Benchmarks", false)]
    [InlineData("Spate", "Spate.TestHelpers", false)]
    [InlineData("Spate", "Spate.Testing", false)]
    [InlineData("Spate", "Spate.Measurement", true)]
    [InlineData("Spate", "Spate.Cli", true)]
    [InlineData("Spate", "Echo", true)]
    [InlineData("Spate.Gateway", "Spate.Cli", true)]
    [InlineData("Spate.HostTuning", "Spate.Measurement", false)]
    [InlineData("Spate.HostTuning", "Spate.Cli", false)]
    [InlineData("Spate.HostTuning", "Spate.Testing", true)]
    [InlineData("Spate.Measurement", "Spate.Cli", false)]
    [InlineData("Spate.Measurement", "Spate.HostTuning", true)]
    public void InternalsOpened_ToOthersThanTestsAndTheTool_IsRefused(string project, string target, bool refused)
    {
        string text = $"<Project>\n<ItemGroup><InternalsVisibleTo Include=\"{target}\" /></ItemGroup></Project>";

        Assert.Equal(
            refused ? [2] : [], Offender.Lines(ProjectRules.InternalsOpened, $"src/{project}/{project}.csproj", text));
    }

    [Theory]
    [InlineData("../Spate.Tests/A.cs", true)]
    [InlineData(@"..\Spate.Tests\A.cs", true)]
    [InlineData("../../samples/Echo/A.cs", false)]
    public void LinkedSource_OfAnotherProject_IsRefused(string source, bool refused)
    {
        string text = $"<Project>\n<ItemGroup><Compile Include=\"{source}\" /></ItemGroup></Project>";

        Assert.Equal(refused ? [2] : [], Offender.Lines(ProjectRules.LinkedSource, "tests/A/A.csproj", text));
    }

    [Fact]
    public void InternalsOpenedInCode_ByAttribute_IsRefused() =>
        Assert.Equal([1], Offender.Lines(ProjectRules.InternalsOpenedInCode, "src/Spate/A.cs",
            "[assembly: System.Runtime.CompilerServices.InternalsVisibleTo(\"Spate.Cli\")]"));

    [Theory]
    [InlineData("<PackageReference Include=\"X\" Version=\"1.0.0\" />", true)]
    [InlineData("<PackageReference Include=\"X\" VersionOverride=\"1.0.0\" />", true)]
    [InlineData("<PackageReference Include=\"X\"><Version>1.0.0</Version></PackageReference>", true)]
    [InlineData("<PackageVersion Include=\"X\" Version=\"1.0.0\" />", true)]
    [InlineData("<PackageReference Include=\"X\" PrivateAssets=\"all\" />", false)]
    public void VersionOutsideItsFile_AnyForm_IsRefused(string package, bool refused)
    {
        string text = $"<Project><ItemGroup>\n{package}\n</ItemGroup></Project>";

        Assert.Equal(refused ? [2] : [], Offender.Lines(ProjectRules.VersionOutsideItsFile, "src/A/A.csproj", text));
        Assert.Empty(Offender.Lines(ProjectRules.VersionOutsideItsFile, "Directory.Packages.props", text));
    }
}
