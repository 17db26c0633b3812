using System.CommandLine;

namespace Spate.Build.Website;

/// <summary><c>site</c>: writes the folder from which DocFX makes the documentation site.</summary>
internal static class SiteCommand
{
    public static Command Create()
    {
        var configuration = new Option<string>("--configuration")
        {
            Description = "the configuration whose assemblies are read",
            DefaultValueFactory = static _ => "Release",
        };
        var output = new Option<DirectoryInfo>("--output")
        {
            Description = "the folder, which is deleted first",
            Required = true,
        };
        var command = new Command(
            "site", "Writes what DocFX makes the site from: pages, tables of contents and the packages' assemblies.")
        {
            configuration, output,
        };
        command.SetAction(parsed => Write(".", parsed.GetValue(configuration)!, parsed.GetValue(output)!));
        return command;
    }

    private static void Write(string top, string configuration, DirectoryInfo output)
    {
        if (output.Exists) output.Delete(recursive: true);
        new SitePages(top).Write(output.FullName);
        SiteAssemblies.Write(top, configuration, output.FullName);
    }
}
