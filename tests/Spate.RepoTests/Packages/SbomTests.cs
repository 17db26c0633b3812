using System.IO.Compression;
using System.Text.Json.Nodes;

namespace Spate.RepoTests.Packages;

/// <summary>The bill of materials in each package, against the lock file that it was made from.</summary>
[Collection(PackedCollection.Name)]
public sealed class SbomTests(PackedPackages packed)
{
    public static TheoryData<string> All => [.. Sources.Packages];

    [Theory]
    [MemberData(nameof(All))]
    public void Bill_OfAPackage_ListsItsLockFile(string package)
    {
        JsonNode bill = Read(package);
        Dictionary<string, JsonNode> listed = bill["packages"]!.AsArray()
            .ToDictionary(one => (string)one!["name"]!, one => one!, StringComparer.OrdinalIgnoreCase);
        JsonObject locked = JsonNode.Parse(Sources.Read("src", package, "packages.lock.json"))!
            ["dependencies"]!["net10.0"]!.AsObject();

        Assert.Equal("SPDX-2.3", (string)bill["spdxVersion"]!);
        Assert.Equal(locked.Count + 1, listed.Count);
        Assert.Equal(Sources.Version, (string)listed[package]["versionInfo"]!);
        foreach ((string name, JsonNode? entry) in locked)
        {
            JsonNode one = listed[name];
            if ((string)entry!["type"]! == "Project")
            {
                Assert.Equal(Sources.Version, (string)one["versionInfo"]!);
                continue;
            }

            byte[] hash = Convert.FromHexString((string)one["checksums"]![0]!["checksumValue"]!);
            Assert.Equal((string)entry["resolved"]!, (string)one["versionInfo"]!);
            Assert.Equal((string)entry["contentHash"]!, Convert.ToBase64String(hash));
            Assert.NotEqual("NOASSERTION", (string)one["licenseDeclared"]!);
        }
    }

    /// <summary>Nothing of an analyzer is delivered, and everything else is reached from the package.</summary>
    [Fact]
    public void Bill_OfTheTool_TellsToolsOfTheBuildFromParts()
    {
        JsonArray relationships = Read("Spate.Cli")["relationships"]!.AsArray();
        string[] tools = [.. relationships.Where(one => (string)one!["relationshipType"]! == "BUILD_TOOL_OF")
            .Select(one => (string)one!["spdxElementId"]!)];
        string[] parts = [.. relationships.Where(one => (string)one!["relationshipType"]! == "DEPENDS_ON")
            .Select(one => (string)one!["relatedSpdxElement"]!)];

        Assert.Contains(tools, id => id.Contains("Meziantou.Analyzer", StringComparison.Ordinal));
        Assert.Contains(parts, id => id.Contains("MathNet.Numerics", StringComparison.Ordinal));
        Assert.Contains(parts, id => id.Contains("System.CommandLine", StringComparison.Ordinal));
        Assert.Empty(tools.Intersect(parts));
    }

    private JsonNode Read(string package)
    {
        using ZipArchive archive = packed.Open(package);
        return JsonNode.Parse(PackedPackages.ReadText(archive, "sbom.spdx.json"))!;
    }
}
