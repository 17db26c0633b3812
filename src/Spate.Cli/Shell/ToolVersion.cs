using System.Reflection;

namespace Spate.Cli.Shell;

/// <summary>The version of this build, without the commit that a build server appends.</summary>
internal static class ToolVersion
{
    public static string Text { get; } = Read();

    public static string Line => $"spate {Text}";

    private static string Read()
    {
        string version = typeof(ToolVersion).Assembly
            .GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "unknown";
        int plus = version.IndexOf('+', StringComparison.Ordinal);
        return plus < 0 ? version : version[..plus];
    }
}
