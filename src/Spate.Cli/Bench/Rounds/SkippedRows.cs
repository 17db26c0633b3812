using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Rounds;

/// <summary>The rows of a benchmark that did not run, each with its reason.</summary>
internal sealed class SkippedRows
{
    public const string NoTimeLeft = "no time was left for it; allow more time, or measure less";

    private readonly List<BenchSkippedRow> _rows = [];

    public IReadOnlyList<BenchSkippedRow> All => _rows;

    /// <summary>Adds a row, unless it was added with the same reason before.</summary>
    public void Add(string name, string reason)
    {
        var row = new BenchSkippedRow(name, reason);
        if (!_rows.Contains(row)) _rows.Add(row);
    }

    /// <summary>A row that cannot run is added.</summary>
    public bool IsAvailable(string name, string? unavailableReason)
    {
        if (unavailableReason is null) return true;
        Add(name, unavailableReason);
        return false;
    }

    /// <summary>It names the first reason and counts the others.</summary>
    public BenchException NothingRan()
    {
        IReadOnlyList<BenchSkippedRow> kinds = BenchSkippedRow.Join(_rows);
        string more = kinds.Count > 1 ? $" (and {kinds.Count - 1} other reasons)" : "";
        string reason = kinds.Count > 0 ? $": {kinds[0].Reason}" : "";
        return new BenchException($"No row could run{reason}{more}");
    }
}

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
