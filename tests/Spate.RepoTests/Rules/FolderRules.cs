namespace Spate.RepoTests.Rules;

/// <summary>A breach of a rule of folders: its kind, its arrow or folder, and its first places.</summary>
public sealed record FolderBreach(string Kind, string Name, string Places)
{
    public override string ToString() => $"{Kind} {Name}{Places}";
}

/// <summary>The folders of src use each other in one direction, and in the projects with layers downward.</summary>
public static class FolderRules
{
    public const string Cycle = "cycle";
    public const string Upward = "upward";
    public const string Sideways = "sideways";
    public const string Unplaced = "unplaced";

    /// <summary>Every breach, in the order of kinds and names.</summary>
    public static IReadOnlyList<FolderBreach> Breaches(SourceModel model)
    {
        IReadOnlyList<FolderArrow> arrows = FolderArrows.Of(model);
        return
        [
            .. FolderArrows.InCycles(arrows).Select(arrow => new FolderBreach(Cycle, arrow.Name, arrow.Places))
                .Concat(AgainstLayers(arrows))
                .Concat(WithoutLayer(model))
                .OrderBy(breach => (breach.Kind, breach.Name)),
        ];
    }

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
