namespace Spate.RepoTests.Rules;

/// <summary>A breach of a rule of folders: its kind, its arrow or folder, and its first places.</summary>
public sealed record FolderBreach(string Kind, string Name, string Places)
{
    /// <summary>The line that lists it.</summary>
    public string Line => $"{Kind} {Name}";
}

/// <summary>
/// The folders of src use each other in one direction, and in the projects with layers downward. Breaches that were
/// there when the rule came are listed, and the list only shrinks.
/// </summary>
public static class FolderRules
{
    public const string List = "tests/Spate.RepoTests/arrows.txt";

    /// <summary>Set to 1, it takes lines out of the list that hold no longer. Nothing adds one.</summary>
    public const string Renewal = "SPATE_UPDATE_ARROWS";

    public const string Cycle = "cycle";
    public const string Upward = "upward";
    public const string Sideways = "sideways";
    public const string Unplaced = "unplaced";

    /// <summary>Every breach, in the order of the lines that list them.</summary>
    public static IReadOnlyList<FolderBreach> Breaches(SourceModel model)
    {
        IReadOnlyList<FolderArrow> arrows = FolderArrows.Of(model);
        return
        [
            .. FolderArrows.InCycles(arrows).Select(arrow => new FolderBreach(Cycle, arrow.Name, arrow.Places))
                .Concat(AgainstLayers(arrows))
                .Concat(WithoutLayer(model))
                .OrderBy(breach => breach.Line, StringComparer.Ordinal),
        ];
    }

    /// <summary>Breaches that the list does not name, and lines of the list that name none.</summary>
    public static IEnumerable<Offence> Unlisted(IReadOnlyCollection<FolderBreach> breaches, SourceFile list)
    {
        foreach (FolderBreach breach in breaches.Where(breach => !list.Lines.Contains(breach.Line)))
        {
            yield return list.At(1, $"{breach.Line}: is new, and the list takes no new line{breach.Places}");
        }

        for (int i = 0; i < list.Lines.Length; i++)
        {
            string line = list.Lines[i];
            if (line.Length == 0 || breaches.Any(breach => breach.Line == line)) continue;
            yield return list.At(i + 1, $"{line}: holds no longer; take the line out, or run with {Renewal}=1");
        }
    }

    /// <summary>The list without the lines that name none of the breaches.</summary>
    public static string Shrunk(IReadOnlyCollection<FolderBreach> breaches, SourceFile list) => string.Concat(
        list.Lines.Where(line => breaches.Any(breach => breach.Line == line)).Select(line => line + "\n"));

    private static IEnumerable<FolderBreach> AgainstLayers(IEnumerable<FolderArrow> arrows) =>
        from arrow in arrows
        let user = FolderLayers.TopOf(arrow.From)
        let used = FolderLayers.TopOf(arrow.To)
        where user is not null && used is not null && user != used
        where FolderLayers.ProjectOf(user) == FolderLayers.ProjectOf(used)
        let rise = FolderLayers.Height(used) - FolderLayers.Height(user)
        where rise >= 0 && FolderLayers.Height(user) >= 0
        select new FolderBreach(rise > 0 ? Upward : Sideways, arrow.Name, arrow.Places);

    private static IEnumerable<FolderBreach> WithoutLayer(SourceModel model) =>
        from file in model.Files
        where file.IsUnder("src")
        let top = FolderLayers.TopOf(file.Folder)
        where top is not null && FolderLayers.Height(top) < 0
        group file by top into folder
        select new FolderBreach(Unplaced, folder.Key, $"\n    {folder.First().Path}: see FolderLayers.cs");
}
