using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Rounds;

/// <summary>The rows of a benchmark that did not run, each with its reason.</summary>
internal sealed class SkippedRows
{
    public const string NoTimeLeft = "no time was left for it; allow a longer time, or measure less";

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
