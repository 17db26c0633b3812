using System.IO.Compression;
using System.Reflection.Metadata;
using System.Text;
using System.Text.Json;
using System.Xml.Linq;

namespace Spate.RepoTests.Packages;

/// <summary>What each package holds, and says about itself.</summary>
[Collection(PackedCollection.Name)]
public sealed class PackageContentsTests(PackedPackages packed)
{
    private const int MinNoteChars = 200;

    public static TheoryData<string> All => [.. Sources.Packages];

    public static TheoryData<string> Libraries => [.. Sources.Packages.Where(name => !Sources.IsTool(name))];

    [Theory]
    [MemberData(nameof(All))]
    public void Package_OfAProject_SaysWhatItIs(string package)
    {
        using ZipArchive archive = packed.Open(package);
        ILookup<string, XElement> metadata =
            PackedPackages.Metadata(archive, package).ToLookup(element => element.Name.LocalName);

        Assert.Equal(package, metadata["id"].Single().Value);
        Assert.Equal(Sources.Version, metadata["version"].Single().Value);
        Assert.Equal("MIT", metadata["license"].Single().Value);
        Assert.Equal("README.md", metadata["readme"].Single().Value);
        Assert.Equal("icon.png", metadata["icon"].Single().Value);
        Assert.Contains("udp", metadata["tags"].Single().Value, StringComparison.Ordinal);
        Assert.InRange(metadata["description"].Single().Value.Length, 40, 200);
        Assert.InRange(metadata["releaseNotes"].Single().Value.Length, MinNoteChars, 35_000);
        Assert.StartsWith("###", metadata["releaseNotes"].Single().Value, StringComparison.Ordinal);
        Assert.Equal(Sources.RepositoryUrl, (string?)metadata["repository"].SingleOrDefault()?.Attribute("url") ?? "");
    }

    [Theory]
    [MemberData(nameof(All))]
    public void Package_OfAProject_HoldsReadmeIconAndLicence(string package)
    {
        using ZipArchive archive = packed.Open(package);

        Assert.Equal(Sources.Read("src", package, "PACKAGE.md"), PackedPackages.ReadText(archive, "README.md"));
        Assert.Equal(Sources.Read("LICENSE"), PackedPackages.ReadText(archive, "LICENSE"));
        Assert.Equal(
            new FileInfo(Path.Combine(Sources.Top, "assets", "icon.png")).Length, archive.GetEntry("icon.png")!.Length);
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Package_OfALibrary_HoldsDocumentationAndSymbols(string package)
    {
        using ZipArchive archive = packed.Open(package);
        using ZipArchive symbols = packed.Open(package, ".snupkg");

        Assert.NotNull(archive.GetEntry($"lib/net10.0/{package}.dll"));
        Assert.True(archive.GetEntry($"lib/net10.0/{package}.xml")!.Length > 1000);
        Assert.NotNull(symbols.GetEntry($"lib/net10.0/{package}.pdb"));
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Dependencies_OfALibrary_AreItsProjects(string package)
    {
        IEnumerable<string> own = Dependencies(package)
            .Where(name => name == "Spate" || name.StartsWith("Spate.", StringComparison.Ordinal));

        Assert.Equal(Sources.ReferencesOf(package).Order(StringComparer.Ordinal), own.Order(StringComparer.Ordinal));
    }

    /// <summary>Spate.Testing uses internals of Spate, which another version may not have.</summary>
    [Fact]
    public void Dependencies_OfTesting_NameExactlyItsVersionOfSpate()
    {
        using ZipArchive archive = packed.Open("Spate.Testing");
        XElement dependency = PackedPackages.Metadata(archive, "Spate.Testing")
            .Where(element => element.Name.LocalName == "dependencies")
            .Descendants().Single(one => (string?)one.Attribute("id") == "Spate");

        Assert.Equal($"[{Sources.Version}]", (string?)dependency.Attribute("version"));
    }

    [Fact]
    public void Package_OfTheTool_NamesWhatItCarries()
    {
        using ZipArchive archive = packed.Open("Spate.Cli");
        string notices = PackedPackages.ReadText(archive, "THIRD-PARTY-NOTICES.txt");
        string[] carried = [.. archive.Entries.Select(entry => entry.FullName)
            .Where(path => path.StartsWith("tools/net10.0/any/", StringComparison.Ordinal))
            .Where(path => path.EndsWith(".dll", StringComparison.Ordinal))
            .Select(path => Path.GetFileNameWithoutExtension(path))
            .Where(name => name != "Spate" && !name.StartsWith("Spate.", StringComparison.Ordinal))];

        Assert.NotEmpty(carried);
        Assert.All(carried, name => Assert.Contains(
            $"{name} {ResolvedVersion(name)}\n", notices, StringComparison.Ordinal));
        Assert.NotNull(archive.GetEntry("LICENSE-Apache-2.0.txt"));
    }

    /// <summary>The name of a folder of one machine would differ on each, and tells more than users need.</summary>
    [Theory]
    [MemberData(nameof(All))]
    public void Files_OfAPackage_NameNoFolderOfThisMachine(string package)
    {
        using ZipArchive archive = packed.Open(package);
        using ZipArchive? symbols = Sources.IsTool(package) ? null : packed.Open(package, ".snupkg");
        ZipArchiveEntry[] entries = [.. archive.Entries, .. symbols?.Entries ?? []];

        Assert.Contains(entries, entry => entry.Name == package + ".pdb");
        Assert.Empty(entries.Where(entry => MachinePaths(entry).Any()).Select(entry => entry.FullName));
    }

    private static IEnumerable<string> MachinePaths(ZipArchiveEntry entry)
    {
        using var content = new MemoryStream();
        using (Stream stream = entry.Open()) stream.CopyTo(content);
        content.Position = 0;
        if (!entry.Name.StartsWith("Spate", StringComparison.Ordinal) || Path.GetExtension(entry.Name) != ".pdb")
        {
            return Encoding.UTF8.GetString(content.ToArray()).Contains(Sources.Top, StringComparison.Ordinal)
                ? [Sources.Top]
                : [];
        }

        // Symbols keep the parts of a path apart, so a search of the bytes would find none.
        using var provider = MetadataReaderProvider.FromPortablePdbStream(content);
        MetadataReader reader = provider.GetMetadataReader();
        return [.. reader.Documents.Select(document => reader.GetString(reader.GetDocument(document).Name))
            .Where(path => !path.StartsWith("/_", StringComparison.Ordinal))];
    }

    private static string ResolvedVersion(string package)
    {
        using JsonDocument locked = JsonDocument.Parse(Sources.Read("src/Spate.Cli/packages.lock.json"));
        return locked.RootElement.GetProperty("dependencies").GetProperty("net10.0").GetProperty(package)
            .GetProperty("resolved").GetString()!;
    }

    private string[] Dependencies(string package)
    {
        using ZipArchive archive = packed.Open(package);
        return [.. PackedPackages.Metadata(archive, package)
            .Where(element => element.Name.LocalName == "dependencies")
            .Descendants().Where(element => element.Name.LocalName == "dependency")
            .Select(one => (string)one.Attribute("id")!)];
    }
}
