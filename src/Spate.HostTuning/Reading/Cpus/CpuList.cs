using System.Globalization;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Cpus;

/// <summary>The kernel's list format for CPU and node numbers, <c>0-3,8,10-11</c> (cpuset(7), "List format").</summary>
internal static class CpuList
{
    // CONFIG_NR_CPUS is at most 8192 on the architectures .NET runs on; the bound keeps "0-4000000000" harmless.
    private const int MaxNumber = 65_535;

    /// <summary>Numbers up to 65535, in rising order without duplicates. Null and empty are an empty list.</summary>
    public static bool TryParse(string? text, out IReadOnlyList<int> numbers)
    {
        numbers = [];
        var found = new List<int>();
        foreach (string part in string.IsNullOrWhiteSpace(text) ? [] : text.Split(','))
        {
            ReadOnlySpan<char> range = part.AsSpan().Trim();
            int dash = range.IndexOf('-');
            ReadOnlySpan<char> first = dash < 0 ? range : range[..dash];
            ReadOnlySpan<char> last = dash < 0 ? range : range[(dash + 1)..];
            if (!TryParseNumber(first, out int from) || !TryParseNumber(last, out int to) || to < from) return false;

            for (int number = from; number <= to; number++)
            {
                found.Add(number);
            }
        }

        numbers = Sorted(found);
        return true;
    }

    /// <summary>Neighbours joined: <c>0-3,8</c>; empty for no numbers.</summary>
    public static string Format(IEnumerable<int> numbers)
    {
        var parts = new List<string>();
        int first = -1;
        int last = -1;
        foreach (int number in Sorted([.. numbers]))
        {
            if (first >= 0 && number == last + 1)
            {
                last = number;
                continue;
            }

            AddRange(parts, first, last);
            first = last = number;
        }

        AddRange(parts, first, last);
        return string.Join(',', parts);
    }

    /// <summary>Groups of 32 CPUs in hexadecimal, the highest first.</summary>
    internal static bool TryParseMask(string? text, out IReadOnlyList<int> numbers)
    {
        numbers = [];
        string[] groups = string.IsNullOrWhiteSpace(text) ? [] : text.Trim().Split(',');
        if (groups.Length > (MaxNumber + 1) / 32) return false;

        var found = new List<int>();
        for (int group = 0; group < groups.Length; group++)
        {
            if (!FileText.TryParseHex(groups[^(group + 1)], out uint bits)) return false;

            for (int bit = 0; bit < 32; bit++)
            {
                if ((bits >> bit & 1) != 0) found.Add(group * 32 + bit);
            }
        }

        numbers = found;
        return true;
    }

    /// <summary><c>0</c> for none.</summary>
    internal static string FormatMask(IEnumerable<int> numbers)
    {
        var groups = new List<uint> { 0 };
        foreach (int number in numbers)
        {
            while (groups.Count <= number / 32) groups.Add(0);

            groups[number / 32] |= 1u << (number % 32);
        }

        groups.Reverse();
        return string.Join(',', groups.Select(static (one, i) =>
            one.ToString(i == 0 ? "x" : "x8", CultureInfo.InvariantCulture)));
    }

    internal static int IndexOf(IReadOnlyList<int> numbers, int wanted)
    {
        for (int i = 0; i < numbers.Count; i++)
        {
            if (numbers[i] == wanted) return i;
        }

        return -1;
    }

    internal static bool Contains(IReadOnlyList<int> numbers, int wanted) => IndexOf(numbers, wanted) >= 0;

    internal static List<int> Distinct(IEnumerable<int> numbers) => Sorted([.. numbers]);

    private static void AddRange(List<string> parts, int first, int last)
    {
        if (first >= 0) parts.Add(first == last ? $"{first}" : $"{first}-{last}");
    }

    // A sorted list, not a set or a query: generic code for value types is compiled at every start of the tool, which a
    // handful of numbers is not worth.
    private static List<int> Sorted(List<int> numbers)
    {
        numbers.Sort();
        int kept = 0;
        for (int i = 0; i < numbers.Count; i++)
        {
            if (kept == 0 || numbers[i] != numbers[kept - 1]) numbers[kept++] = numbers[i];
        }

        numbers.RemoveRange(kept, numbers.Count - kept);
        return numbers;
    }

    private static bool TryParseNumber(ReadOnlySpan<char> text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number <= MaxNumber;
}
