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
/// The folders of src, each with its own files only. An arrow is the use of a type, however it is written.
/// </summary>
public static class FolderArrows
{
    // Layers gives each type of the library a layer, and LayerRules checks those.
    private const string Library = "src/Spate";

    /// <summary>Every arrow between two folders, in the order of their names.</summary>
    public static IReadOnlyList<FolderArrow> Of(SourceModel model) =>
    [
        .. from file in model.Files
        where file.IsUnder("src") && !file.IsUnder(Library)
        from use in TypeUse.In(model, file)
        let folders = use.Paths.Select(FolderOf).Distinct(StringComparer.Ordinal).ToArray()
        where !folders.Contains(file.Folder, StringComparer.Ordinal)
        from to in folders
        where !IsIn(to, Library)
        group use by (From: file.Folder, To: to) into pair
        orderby pair.Key
        select new FolderArrow(pair.Key.From, pair.Key.To, FirstOfEachPair(pair)),
    ];

    /// <summary>
    /// Arrows that lead back to their start, directly or over other folders. A folder and those in it may use each
    /// other: Bench has what its benches share, and the command that lists them.
    /// </summary>
    public static IEnumerable<FolderArrow> InCycles(IReadOnlyCollection<FolderArrow> arrows)
    {
        FolderArrow[] apart = [.. arrows.Where(arrow => !IsIn(arrow.From, arrow.To) && !IsIn(arrow.To, arrow.From))];
        ILookup<string, string> next = apart.ToLookup(arrow => arrow.From, arrow => arrow.To, StringComparer.Ordinal);
        return apart.Where(arrow => LayerRules.Reaches(
            arrow.To, arrow.From, next, new HashSet<string>(StringComparer.Ordinal)));
    }

    private static bool IsIn(string folder, string upper) =>
        folder == upper || folder.StartsWith(upper + "/", StringComparison.Ordinal);

    private static string FolderOf(string path) => path[..path.LastIndexOf('/')];

    private static IReadOnlyList<TypeUse> FirstOfEachPair(IEnumerable<TypeUse> uses) =>
        [.. uses.DistinctBy(use => (use.From, use.To))];
}
