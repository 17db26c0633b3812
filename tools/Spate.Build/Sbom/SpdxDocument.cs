using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;

namespace Spate.Build.Sbom;

/// <summary>Writes a bill of materials as JSON of SPDX 2.3. The same input gives the same bytes.</summary>
internal static class SpdxDocument
{
    private const string DocumentId = "SPDXRef-DOCUMENT";
    private const string Unknown = "NOASSERTION";

    public static string Write(
        string name, string version, DateTimeOffset created, IReadOnlyCollection<Material> materials)
    {
        string root = Id(name, version);
        var packages = new JsonArray(Own(name, version, root));
        var relationships = new JsonArray(Relationship(DocumentId, "DESCRIBES", root));
        foreach (Material material in materials)
        {
            packages.Add(Package(material));
            string id = Id(material);
            if (material.IsBuildTool)
            {
                relationships.Add(Relationship(id, "BUILD_TOOL_OF", root));
                continue;
            }

            if (material.Locked.IsDirect) relationships.Add(Relationship(root, "DEPENDS_ON", id));
            foreach (string needed in material.Locked.Dependencies)
            {
                Material? other = materials.FirstOrDefault(
                    one => one.Locked.Name.Equals(needed, StringComparison.OrdinalIgnoreCase));
                if (other is not null) relationships.Add(Relationship(id, "DEPENDS_ON", Id(other)));
            }
        }

        string time = created.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture);
        string content = packages.ToJsonString() + relationships.ToJsonString() + time;
        string digest = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(content)))[..32];
        return new JsonObject
        {
            ["spdxVersion"] = "SPDX-2.3",
            ["dataLicense"] = "CC0-1.0",
            ["SPDXID"] = DocumentId,
            ["name"] = $"{name}-{version}",
            ["documentNamespace"] = $"https://spdx.org/spdxdocs/{name}-{version}-{digest}",
            ["creationInfo"] = new JsonObject { ["created"] = time, ["creators"] = new JsonArray("Tool: Spate.Build") },
            ["packages"] = packages,
            ["relationships"] = relationships,
        }.ToJsonString(Format.Indented);
    }

    private static JsonObject Own(string name, string version, string id) =>
        Describe(id, name, version, Material.OwnLicence, null);

    private static JsonObject Package(Material material)
    {
        LockedPackage locked = material.Locked;
        JsonObject package = Describe(
            Id(material), locked.Name, locked.Version, material.Licence, material.Copyright);
        if (locked.ContentHash is { } hash)
        {
            package["checksums"] = new JsonArray(new JsonObject
            {
                ["algorithm"] = "SHA512",
                ["checksumValue"] = Convert.ToHexStringLower(Convert.FromBase64String(hash)),
            });
            package["comment"] = "The checksum is that of packages.lock.json: of the package without its signature.";
        }

        return package;
    }

    private static JsonObject Describe(string id, string name, string version, string? licence, string? copyright) =>
        new()
        {
            ["SPDXID"] = id,
            ["name"] = name,
            ["versionInfo"] = version,
            ["downloadLocation"] = Unknown,
            ["filesAnalyzed"] = false,
            ["licenseConcluded"] = licence ?? Unknown,
            ["licenseDeclared"] = licence ?? Unknown,
            ["copyrightText"] = copyright ?? Unknown,
            ["externalRefs"] = new JsonArray(new JsonObject
            {
                ["referenceCategory"] = "PACKAGE-MANAGER",
                ["referenceType"] = "purl",
                ["referenceLocator"] = $"pkg:nuget/{name}@{version}",
            }),
        };

    private static JsonObject Relationship(string from, string type, string to) => new JsonObject
    {
        ["spdxElementId"] = from,
        ["relationshipType"] = type,
        ["relatedSpdxElement"] = to,
    };

    private static string Id(Material material) => Id(material.Locked.Name, material.Locked.Version);

    // An identifier of SPDX has letters, digits, dots and hyphens; names and versions of NuGet may have more.
    private static string Id(string name, string version) => "SPDXRef-" + string.Concat(
        $"{name}-{version}".Select(sign => char.IsAsciiLetterOrDigit(sign) || sign is '.' or '-' ? sign : '-'));
}
