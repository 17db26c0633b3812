using System.Xml.Linq;

namespace Spate.Build;

/// <summary>The version of the packages, which Directory.Build.props states.</summary>
internal static class VersionPrefix
{
    public static string Read(string top) =>
        XDocument.Load(Path.Combine(top, "Directory.Build.props"))
            .Descendants(nameof(VersionPrefix)).FirstOrDefault()?.Value
            ?? throw new BuildException("Directory.Build.props has no VersionPrefix");
}
