using System.CommandLine;

namespace Spate.Build.ApiDocs;

/// <summary><c>api-docs</c>: writes the reference of the packages as Markdown, a page per public type.</summary>
internal static class ApiDocsCommand
{
    public const string Folder = "docs/api";

    public static Command Create()
    {
        var configuration = new Option<string>("--configuration")
        {
            Description = "the configuration whose assemblies are read",
            DefaultValueFactory = static _ => "Release",
        };
        var command = new Command("api-docs", $"Writes the API reference of the packages into {Folder}.")
        {
            configuration,
        };
        command.SetAction(parsed => Write(ApiPages.Make(".", parsed.GetValue(configuration)!)));
        return command;
    }

    private static void Write(IReadOnlyDictionary<string, string> pages)
    {
        Directory.CreateDirectory(Folder);
        foreach (string old in Directory.EnumerateFiles(Folder, "*.md"))
        {
            if (!pages.ContainsKey(Path.GetFileName(old))) File.Delete(old);
        }

        foreach ((string name, string text) in pages) File.WriteAllText(Path.Combine(Folder, name), text);
    }
}
