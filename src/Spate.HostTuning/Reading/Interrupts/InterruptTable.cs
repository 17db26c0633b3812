using System.Globalization;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interrupts;

/// <summary><c>/proc/interrupts</c>, read only when needed: with hundreds of CPUs it has megabytes.</summary>
internal sealed class InterruptTable(HostFiles files)
{
    private Dictionary<int, Row>? _rows;

    internal readonly record struct Row(string Name, int? BusiestCpu, long Count);

    public IReadOnlyDictionary<int, Row> Rows => _rows ??= Read();

    /// <summary>
    /// How often each was handled since the start, on all CPUs together, by its number. The file is long on machines
    /// with many CPUs.
    /// </summary>
    public static IReadOnlyDictionary<int, long> ReadCounts(string rootPath = "/") =>
        new InterruptTable(new HostFiles(rootPath)).Rows.ToDictionary(
            static row => row.Key, static row => row.Value.Count);

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

/// <summary>The names that drivers give their interrupts. They follow no rule; these are the common forms.</summary>
internal static class InterruptNames
{
    // virtio "virtio2-config", mlx5 "mlx5_async0@pci:...", ena "ena-mgmnt@pci:...", i40e and ice "...:misc",
    // ixgbevf "...-mbx": set-up and errors, never datagrams.
    private static readonly string[] Control = ["-config", "async", "mgmnt", "misc", "mbx", "-event"];

    public static bool IsControl(string name)
    {
        foreach (string part in Control)
        {
            if (name.Contains(part, StringComparison.OrdinalIgnoreCase)) return true;
        }

        return false;
    }

    public static InterruptDirection DirectionOf(string name)
    {
        if (name.Contains("txrx", StringComparison.OrdinalIgnoreCase)
            || name.Contains("tx-rx", StringComparison.OrdinalIgnoreCase))
        {
            return InterruptDirection.Both;
        }

        bool receives = HasPart(name, "input") || HasPart(name, "rx");
        bool sends = HasPart(name, "output") || HasPart(name, "tx");
        return receives == sends
            ? InterruptDirection.Both
            : receives ? InterruptDirection.Receive : InterruptDirection.Send;
    }

    /// <summary>The owner's name, alone or followed by a separator.</summary>
    public static bool BelongsTo(string name, string owner) =>
        owner.Length > 0 && name.StartsWith(owner, StringComparison.Ordinal)
        && (name.Length == owner.Length || "-:._@".Contains(name[owner.Length], StringComparison.Ordinal));

    // "eth0-rx-0" and "virtio2-input.0" have the part, "matrix0" has not.
    private static bool HasPart(string name, string part)
    {
        int at = name.IndexOf(part, StringComparison.OrdinalIgnoreCase);
        while (at >= 0)
        {
            int end = at + part.Length;
            if ((at == 0 || !char.IsAsciiLetter(name[at - 1]))
                && (end == name.Length || !char.IsAsciiLetter(name[end])))
            {
                return true;
            }

            at = name.IndexOf(part, end, StringComparison.OrdinalIgnoreCase);
        }

        return false;
    }
}
