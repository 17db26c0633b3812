using System.Text.RegularExpressions;

namespace Spate.RepoTests.Rules;

/// <summary>Which documents there are, and what they must hold.</summary>
public static class DocumentRules
{
    public static readonly string[] Required =
    [
        "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE",
    ];

    public static readonly string[] Commands =
    [
        "dotnet run -c Release --project src/Spate.Cli -- bench --quick", "./test.sh",
    ];

    public static IEnumerable<Offence> MissingDocument(IEnumerable<SourceFile> files)
    {
        HashSet<string> present = [.. files.Where(f => f.Text.Trim().Length > 0).Select(f => f.Path)];
        return Required.Where(path => !present.Contains(path)).Select(path => new Offence(path, 1, "missing or empty"));
    }

    public static IEnumerable<Offence> NotOneTitle(SourceFile file)
    {
        bool fenced = false;
        int titles = 0;
        for (int i = 0; i < file.Lines.Length; i++)
        {
            if (file.Lines[i].TrimStart().StartsWith("```", StringComparison.Ordinal)) fenced = !fenced;
            if (fenced || !file.Lines[i].StartsWith("# ", StringComparison.Ordinal)) continue;
            titles++;
            if (titles > 1) yield return file.At(i + 1, "a second # title");
        }

        if (titles == 0) yield return file.At(1, "no # title");
    }

    public static IEnumerable<Offence> MissingCommand(SourceFile readme) =>
        from command in Commands
        where !readme.Lines.Any(line => line.Trim() == command)
        select readme.At(1, $"the command '{command}' does not stand on a line of its own");

    public static IEnumerable<Offence> MissingUnreleased(SourceFile changelog)
    {
        if (!changelog.Lines.Contains("## [Unreleased]", StringComparer.Ordinal))
        {
            yield return changelog.At(1, "no '## [Unreleased]' heading");
        }
    }

    /// <summary>Every folder of src down to one backend's own must be explained as `Name/` in the code map.</summary>
    public static IEnumerable<Offence> UnnamedFolder(IEnumerable<SourceFile> files, string architecture)
    {
        IEnumerable<string> folders = files.SelectMany(file => Parents(file.Folder))
            .Distinct(StringComparer.Ordinal)
            .Where(IsMapped);
        return from folder in folders
               let name = folder.Split('/')[^1]
               where !Regex.IsMatch(
                   architecture, $@"(?<![\w.]){Regex.Escape(name)}/", RegexOptions.None, TimeSpan.FromSeconds(10))
               select new Offence(folder, 1, $"ARCHITECTURE.md does not name {name}/");
    }

    private static bool IsMapped(string folder) => folder.Split('/') switch
    {
        ["src", _] => true,
        ["src", "Spate", _] => true,
        ["src", "Spate", "Sockets" or "Serving", _] => true,
        _ => false,
    };

    private static IEnumerable<string> Parents(string folder)
    {
        for (string at = folder; at.Length > 0; at = at[..Math.Max(at.LastIndexOf('/'), 0)])
        {
            yield return at;
        }
    }
}
