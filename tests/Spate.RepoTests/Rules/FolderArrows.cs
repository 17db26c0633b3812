using Microsoft.CodeAnalysis;

namespace Spate.RepoTests.Rules;

/// <summary>One folder of src uses types of another one: each pair of types once, at the first place.</summary>
public sealed record FolderArrow(string From, string To, IReadOnlyList<TypeUse> Uses)
{
    private const int MaxPlaces = 3;

    public string Name => $"{From} -> {To}";

    /// <summary>The first places: as many as a reader can take in at once.</summary>
    public string Places => string.Concat(Uses.Take(MaxPlaces).Select(use => $"\n    {Place(use)}"));

    private static string Place(TypeUse use)
    {
        FileLinePositionSpan span = use.At.GetLineSpan();
        string from = use.From?.Name ?? "the file";
        return $"{span.Path}:{span.StartLinePosition.Line + 1}: {from} -> {use.To.Name}";
    }
}

/// <summary>
/// The folders of src, each with its own files only: the folder above it is another one. An arrow is the use of a type,
/// however it is written.
/// </summary>
public static class FolderArrows
{
    /// <summary>
    /// Folders that are left out, since Layers gives each of their types a layer, and LayerRules checks those. The root
    /// of a namespace holds its public types by design, both faces and values. Sockets holds the interface of the
    /// backends, and the selector that names them.
    /// </summary>
    private static readonly string[] Finer = ["src/Spate", "src/Spate/Serving", "src/Spate/Sockets"];

    /// <summary>Every arrow between two folders, in the order of their names.</summary>
    public static IReadOnlyList<FolderArrow> Of(SourceModel model) =>
    [
        .. from file in model.Files
        where file.IsUnder("src") && !Finer.Contains(file.Folder, StringComparer.Ordinal)
        from use in TypeUse.In(model, file)
        let folders = use.Paths.Select(FolderOf).Distinct(StringComparer.Ordinal).ToArray()
        where !folders.Contains(file.Folder, StringComparer.Ordinal)
        from to in folders
        where !Finer.Contains(to, StringComparer.Ordinal)
        group use by (From: file.Folder, To: to) into pair
        orderby pair.Key
        select new FolderArrow(pair.Key.From, pair.Key.To, FirstOfEachPair(pair)),
    ];

    /// <summary>Arrows that lead back to their start, directly or over other folders.</summary>
    public static IEnumerable<FolderArrow> InCycles(IReadOnlyCollection<FolderArrow> arrows)
    {
        ILookup<string, string> next = arrows.ToLookup(arrow => arrow.From, arrow => arrow.To, StringComparer.Ordinal);
        return arrows.Where(arrow => LayerRules.Reaches(
            arrow.To, arrow.From, next, new HashSet<string>(StringComparer.Ordinal)));
    }

    /// <summary>The sets of folders of which each reaches each, the largest first.</summary>
    public static IReadOnlyList<IReadOnlyList<string>> Sets(IReadOnlyCollection<FolderArrow> arrows)
    {
        FolderArrow[] cyclic = [.. InCycles(arrows)];
        ILookup<string, string> next = cyclic.ToLookup(arrow => arrow.From, arrow => arrow.To, StringComparer.Ordinal);
        List<IReadOnlyList<string>> sets = [];
        HashSet<string> placed = new(StringComparer.Ordinal);
        foreach (string folder in cyclic.Select(arrow => arrow.From).Where(folder => !placed.Contains(folder)))
        {
            // Every arrow here leads back, so all that a folder reaches is in its set.
            HashSet<string> set = new(StringComparer.Ordinal);
            LayerRules.Reaches(folder, "", next, set);
            placed.UnionWith(set);
            sets.Add([.. set.Order(StringComparer.Ordinal)]);
        }

        return [.. sets.OrderByDescending(set => set.Count)];
    }

    private static string FolderOf(string path) => path[..path.LastIndexOf('/')];

    private static IReadOnlyList<TypeUse> FirstOfEachPair(IEnumerable<TypeUse> uses) =>
        [.. uses.DistinctBy(use => (use.From, use.To))];
}
