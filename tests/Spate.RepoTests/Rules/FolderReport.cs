using System.Globalization;
using System.Text;

namespace Spate.RepoTests.Rules;

/// <summary>The folders of src and their arrows as text, for a reader who wants to break a cycle.</summary>
public static class FolderReport
{
    /// <summary>
    /// The sets of folders that use each other, each with its arrows and their numbers of pairs of types; then the
    /// arrows that leave and enter each folder.
    /// </summary>
    public static string Of(SourceModel model)
    {
        IReadOnlyList<FolderArrow> arrows = FolderArrows.Of(model);
        StringBuilder text = new();
        foreach (IReadOnlyList<string> set in FolderArrows.Sets(arrows))
        {
            FolderArrow[] inside = [.. arrows.Where(arrow => set.Contains(arrow.From) && set.Contains(arrow.To))];
            Append(text, $"# {set.Count} folders use each other, by {inside.Length} arrows: {string.Join(", ", set)}");
            foreach (FolderArrow arrow in inside.OrderBy(arrow => arrow.Uses.Count))
            {
                Append(text, $"{arrow.Uses.Count,4} {arrow.Name}{arrow.Places}");
            }
        }

        foreach (string folder in arrows.SelectMany(arrow => (string[])[arrow.From, arrow.To])
            .Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal))
        {
            Append(text, $"# {folder}");
            foreach (FolderArrow arrow in arrows.Where(arrow => arrow.From == folder))
            {
                Append(text, $"{arrow.Uses.Count,4} -> {arrow.To}");
            }

            foreach (FolderArrow arrow in arrows.Where(arrow => arrow.To == folder))
            {
                Append(text, $"{arrow.Uses.Count,4} <- {arrow.From}");
            }
        }

        return text.ToString();
    }

    private static void Append(StringBuilder text, FormattableString line) =>
        text.Append(line.ToString(CultureInfo.InvariantCulture)).Append('\n');
}
