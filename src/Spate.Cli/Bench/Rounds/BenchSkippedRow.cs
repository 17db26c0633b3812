namespace Spate.Cli.Bench.Rounds;

/// <summary>A row that did not run, or several, with their names joined by commas, and the reason.</summary>
internal sealed record BenchSkippedRow(string Name, string Reason)
{
    /// <summary>Joins the rows of each reason. Reasons that differ only in numbers count as the same.</summary>
    public static IReadOnlyList<BenchSkippedRow> Join(IEnumerable<BenchSkippedRow> rows)
    {
        return [.. rows.GroupBy(static row => Kind(row.Reason), StringComparer.Ordinal).Select(One)];

        static string Kind(string reason) => string.Concat(reason.Where(static c => !char.IsAsciiDigit(c)));

        static BenchSkippedRow One(IEnumerable<BenchSkippedRow> alike)
        {
            string names = string.Join(", ", alike.Select(static row => row.Name).Distinct(StringComparer.Ordinal));
            string reason = alike.First().Reason;
            bool isSame = alike.All(row => row.Reason.Equals(reason, StringComparison.Ordinal));
            return new BenchSkippedRow(names, isSame ? reason : $"{reason} (numbers of the first)");
        }
    }

    /// <summary>The name of a row at a size. It names the size only if there are several.</summary>
    internal static string NameOf(string row, int sizeBytes, int sizeCount) =>
        sizeCount > 1 ? $"{row} at {sizeBytes} bytes" : row;
}
