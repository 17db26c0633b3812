using System.IO.Compression;
using System.Xml.Linq;

namespace Spate.RepoTests.Packages;

/// <summary>
/// The packages, made once for all tests of them from the Release build that is there, and the programs that are built
/// from them in a folder outside the repository.
/// </summary>
public sealed class PackedPackages : IAsyncLifetime
{
    private readonly Lazy<Task<Consumers>> _consumers;

    public PackedPackages() => _consumers = new Lazy<Task<Consumers>>(() => Consumers.BuildAsync(this));

    private static bool IsRelease => AppContext.BaseDirectory.Contains("Release", StringComparison.Ordinal);

    /// <summary>A folder that goes with the tests.</summary>
    internal string Work { get; } = Directory.CreateTempSubdirectory("spate-packages-").FullName;

    internal string Feed => Path.Combine(Work, "feed");

    /// <summary>Ours alone: NuGet would otherwise take a package of the same version from an earlier run.</summary>
    internal string OwnPackageFolder => Path.Combine(Work, "packages");

    internal static void SkipWithoutPackages()
    {
        Assert.SkipUnless(IsRelease, "not a Release build");
        Assert.SkipWhen(OperatingSystem.IsWindows(), "pack.sh needs bash");
    }

    public async ValueTask InitializeAsync()
    {
        if (!IsRelease || OperatingSystem.IsWindows()) return;
        await Shell.SucceedAsync(Shell.StartInfo(
            Sources.Top, packages: null, "bash", Path.Combine(Sources.Top, "pack.sh"), "--no-build", "--output", Feed));
    }

    public ValueTask DisposeAsync()
    {
        Directory.Delete(Work, recursive: true);
        return ValueTask.CompletedTask;
    }

    internal Task<Consumers> ConsumersAsync()
    {
        SkipWithoutPackages();
        return _consumers.Value;
    }

    internal ZipArchive Open(string package, string extension = ".nupkg")
    {
        SkipWithoutPackages();
        return ZipFile.OpenRead(Path.Combine(Feed, $"{package}.{Sources.Version}{extension}"));
    }

    internal static string ReadText(ZipArchive archive, string entry)
    {
        using var reader = new StreamReader(archive.GetEntry(entry)!.Open());
        return reader.ReadToEnd();
    }

    /// <summary>The elements below metadata in the package's own description, whatever their namespace.</summary>
    internal static IReadOnlyList<XElement> Metadata(ZipArchive archive, string package) =>
        [.. XDocument.Parse(ReadText(archive, package + ".nuspec")).Root!.Elements().First().Elements()];
}

/// <summary>Tests of the packages: no other test waits until they are made.</summary>
[CollectionDefinition(Name)]
public sealed class PackedCollection : ICollectionFixture<PackedPackages>
{
    public const string Name = "Packages";
}
