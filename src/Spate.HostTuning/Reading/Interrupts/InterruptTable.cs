using System.Globalization;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interrupts;

/// <summary><c>/proc/interrupts</c>, read only when needed: with hundreds of CPUs it has megabytes.</summary>
internal sealed class InterruptTable(HostFiles files)
{
    private Dictionary<int, Row>? _rows;

    internal readonly record struct Row(string Name, int? BusiestCpu, long Count);

    public IReadOnlyDictionary<int, Row> Rows => _rows ??= Read();

    public string NameOf(int number) => Rows.TryGetValue(number, out Row row) ? row.Name : "";

    public int? BusiestCpuOf(int number) => Rows.TryGetValue(number, out Row row) ? row.BusiestCpu : null;

    private Dictionary<int, Row> Read()
    {
        var rows = new Dictionary<int, Row>();
        List<int>? columns = null;
        foreach (string line in files.ReadLines("proc/interrupts"))
        {
            string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
            if (columns is null)
            {
                columns = ReadColumns(words);
            }
            else if (words.Length > 1 && words[0].EndsWith(':') && ParseNumber(words[0].AsSpan()[..^1]) is { } number)
            {
                rows[number] = ReadRow(words, columns);
            }
        }

        return rows;
    }

    // The header names the online CPUs only: "CPU0 CPU1 CPU8".
    private static List<int> ReadColumns(string[] words)
    {
        var columns = new List<int>(words.Length);
        foreach (string word in words)
        {
            if (word.StartsWith("CPU", StringComparison.Ordinal) && ParseNumber(word.AsSpan(3)) is { } number)
            {
                columns.Add(number);
            }
        }

        return columns;
    }

    private static Row ReadRow(string[] words, List<int> columns)
    {
        int? busiest = null;
        long maxCount = 0;
        long sum = 0;
        int counts = 0;
        for (; counts < columns.Count && counts + 1 < words.Length; counts++)
        {
            if (!long.TryParse(words[counts + 1], NumberStyles.None, CultureInfo.InvariantCulture, out long count))
            {
                break;
            }

            sum += count;
            if (count > maxCount)
            {
                maxCount = count;
                busiest = columns[counts];
            }
        }

        return new Row(words.Length > counts + 1 ? words[^1] : "", busiest, sum);
    }

    private static int? ParseNumber(ReadOnlySpan<char> text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int value)
            ? value
            : null;
}
