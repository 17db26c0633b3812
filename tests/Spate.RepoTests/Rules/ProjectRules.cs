using System.Xml;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>Which project may reference what, and that versions are written in one place.</summary>
public static class ProjectRules
{
    private const string Versions = "Directory.Packages.props";

    /// <summary>From the bottom up; a project under src that is not in this table is an offence.</summary>
    private static readonly Dictionary<string, string[]> Allowed = new(StringComparer.Ordinal)
    {
        ["Spate"] = [],
        ["Spate.HostTuning"] = ["Spate"],
        ["Spate.Gateway"] = ["Spate"],
        ["Spate.Measurement"] = ["Spate", "Spate.HostTuning"],
        ["Spate.Cli"] = ["Spate", "Spate.HostTuning", "Spate.Gateway", "Spate.Measurement"],
        ["Spate.Hosting"] = ["Spate"],
        ["Spate.Testing"] = ["Spate"],
    };

    public static IEnumerable<Offence> ForbiddenReference(SourceFile file)
    {
        string name = ProjectName(file.FileName);
        string[] allowed = ["Spate", "Spate.Hosting", "Spate.Gateway", "Spate.Testing"];
        if (file.IsUnder("src") && !Allowed.TryGetValue(name, out allowed!))
        {
            yield return file.At(1, $"project {name} has no place in the order of ProjectRules.cs");
            yield break;
        }

        if (!file.IsUnderAny("src", "samples")) yield break;
        foreach (XElement reference in Elements(file, "ProjectReference"))
        {
            string target = ProjectName(Include(reference).Replace('\\', '/').Split('/')[^1]);
            if (!allowed.Contains(target, StringComparer.Ordinal))
            {
                yield return file.At(Line(reference), $"{name} may not reference {target}");
            }
        }
    }

    public static IEnumerable<Offence> PackageInLibrary(SourceFile file) =>
        from package in Elements(file, "PackageReference")
        where file.Path == "src/Spate/Spate.csproj"
        select file.At(Line(package), $"the library depends on no package, not even {Include(package)}");

    /// <summary>
    /// Internals are open to tests and benchmarks; of the packages, the tool and the samples see the public part.
    /// Those of Spate are also open to Spate.Testing, whose package depends on exactly its own version of Spate. The
    /// parts of the tool are open to the tool and to the parts above them, because they have no public types.
    /// </summary>
    public static IEnumerable<Offence> InternalsOpened(SourceFile file)
    {
        foreach (XElement opened in Elements(file, "InternalsVisibleTo"))
        {
            if (!Include(opened).EndsWith("Tests", StringComparison.Ordinal) &&
                Include(opened) is not ("Spate.Benchmarks" or "Spate.TestHelpers") &&
                !OpenedTo(ProjectName(file.FileName)).Contains(Include(opened), StringComparer.Ordinal))
            {
                yield return file.At(Line(opened), $"internals opened to {Include(opened)}");
            }
        }
    }

    /// <summary>What two test programs use belongs to their helpers; samples are programs, and show a part.</summary>
    public static IEnumerable<Offence> LinkedSource(SourceFile file) =>
        from source in Elements(file, "Compile")
        let path = Include(source).Replace('\\', '/')
        where file.IsUnder("tests") && path.StartsWith("../", StringComparison.Ordinal)
            && !path.StartsWith("../../samples/", StringComparison.Ordinal)
        select file.At(Line(source), $"{path} belongs to tests/Spate.TestHelpers");

    /// <summary>The attribute form would hide from the rule above, which reads project files.</summary>
    public static IEnumerable<Offence> InternalsOpenedInCode(SourceFile file) =>
        from attribute in file.Root.DescendantNodes().OfType<AttributeSyntax>()
        where SyntaxNames.Last(attribute.Name).StartsWith("InternalsVisibleTo", StringComparison.Ordinal)
        select file.At(attribute, "internals are opened in project files only");

    public static IEnumerable<Offence> VersionOutsideItsFile(SourceFile file)
    {
        if (file.FileName == Versions) yield break;
        foreach (XElement package in Elements(file, "PackageReference").Concat(Elements(file, "PackageVersion")))
        {
            if (package.Name.LocalName == "PackageVersion" || package.Attribute("Version") is not null ||
                package.Attribute("VersionOverride") is not null || package.Elements().Any(IsVersion))
            {
                yield return file.At(Line(package), $"the version of {Include(package)} belongs in {Versions}");
            }
        }
    }

    private static string[] OpenedTo(string project) => project switch
    {
        "Spate" => ["Spate.Testing"],
        "Spate.HostTuning" => ["Spate.Measurement", "Spate.Cli"],
        "Spate.Measurement" => ["Spate.Cli"],
        _ => [],
    };

    private static string ProjectName(string fileName) =>
        fileName.Replace(".csproj", "", StringComparison.Ordinal);

    private static bool IsVersion(XElement element) => element.Name.LocalName is "Version" or "VersionOverride";

    private static IEnumerable<XElement> Elements(SourceFile file, string name) =>
        XDocument.Parse(file.Text, LoadOptions.SetLineInfo).Descendants()
            .Where(element => element.Name.LocalName == name);

    private static string Include(XElement element) =>
        (string?)element.Attribute("Include") ?? (string?)element.Attribute("Update") ?? "";

    private static int Line(XElement element) => ((IXmlLineInfo)element).LineNumber;
}
