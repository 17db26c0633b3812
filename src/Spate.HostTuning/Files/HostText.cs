using System.Buffers.Text;

namespace Spate.HostTuning.Files;

/// <summary>Finds numbers in the text of system files without allocating.</summary>
internal static class HostText
{
    /// <summary>The number at an index in a line of numbers; null where the line has fewer.</summary>
    public static long? NumberAt(ReadOnlySpan<byte> text, int index)
    {
        foreach (Range field in text.Split((byte)' '))
        {
            if (index-- == 0) return Number(text[field]);
        }

        return null;
    }

    /// <summary>The number of the line that begins with a key, as in <c>VmRSS:   1234 kB</c>; null for none.</summary>
    public static long? NumberAfter(ReadOnlySpan<byte> text, ReadOnlySpan<byte> key)
    {
        foreach (Range range in text.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> line = text[range];
            if (line.StartsWith(key)) return Number(line[key.Length..]);
        }

        return null;
    }

    /// <summary>
    /// The sum of a column of hexadecimal numbers, separated by single blanks; null where no line has the column.
    /// </summary>
    public static long? SumOfHexColumn(ReadOnlySpan<byte> text, int index)
    {
        long? sum = null;
        foreach (Range range in text.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> line = text[range];
            int column = 0;
            foreach (Range field in line.Split((byte)' '))
            {
                if (column++ == index)
                {
                    if (Utf8Parser.TryParse(line[field], out long number, out int read, 'x') && read > 0)
                    {
                        sum = (sum ?? 0) + number;
                    }

                    break;
                }
            }
        }

        return sum;
    }

    private static long? Number(ReadOnlySpan<byte> text) =>
        Utf8Parser.TryParse(text.TrimStart(" \t"u8), out long number, out _) ? number : null;
}
