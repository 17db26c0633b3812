using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace Spate.HostTuning.Reading.Files;

/// <summary>Finds numbers in the text of system files without allocating.</summary>
internal static class FileText
{
    public static long? NumberAt(ReadOnlySpan<byte> text, int index)
    {
        foreach (Range field in text.Split((byte)' '))
        {
            if (index-- == 0) return Number(text[field]);
        }

        return null;
    }

    /// <summary>Of the line that begins with a key, as in <c>VmRSS:   1234 kB</c>; null for none.</summary>
    public static long? NumberAfter(ReadOnlySpan<byte> text, ReadOnlySpan<byte> key)
    {
        foreach (Range range in text.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> line = text[range];
            if (line.StartsWith(key)) return Number(line[key.Length..]);
        }

        return null;
    }

    public static ReadOnlySpan<byte> WordAt(ReadOnlySpan<byte> line, int index)
    {
        int at = 0;
        foreach (Range range in line.Split((byte)' '))
        {
            ReadOnlySpan<byte> word = line[range];
            if (!word.IsEmpty && at++ == index) return word;
        }

        return default;
    }

    public static int IndexOfWord(ReadOnlySpan<byte> line, ReadOnlySpan<byte> word)
    {
        int at = 0;
        foreach (Range range in line.Split((byte)' '))
        {
            if (line[range].IsEmpty) continue;
            if (line[range].SequenceEqual(word)) return at;

            at++;
        }

        return -1;
    }

    /// <summary>The numbers are separated by blanks.</summary>
    public static long? SumOfHexColumn(ReadOnlySpan<byte> text, int index)
    {
        long? sum = null;
        foreach (Range range in text.Split((byte)'\n'))
        {
            if (HexNumber(WordAt(text[range], index)) is { } number) sum = (sum ?? 0) + number;
        }

        return sum;
    }

    public static long? Number(ReadOnlySpan<byte> text) =>
        Utf8Parser.TryParse(text.TrimStart(" \t"u8), out long number, out _) ? number : null;

    /// <summary>Without a prefix, up to 32 bits; null for another word.</summary>
    public static long? HexNumber(ReadOnlySpan<byte> word) =>
        Utf8Parser.TryParse(word, out uint number, out int read, 'x') && read == word.Length ? number : null;

    public static ReadOnlySpan<byte> BeforeNul(ReadOnlySpan<byte> text) =>
        text.IndexOf((byte)0) is >= 0 and var end ? text[..end] : text;

    /// <summary>As one line of printable ASCII: other bytes, blanks and backslashes become <c>\xNN</c>.</summary>
    public static string Escape(ReadOnlySpan<byte> name)
    {
        if (!name.ContainsAnyExceptInRange((byte)'!', (byte)'~') && !name.Contains((byte)'\\'))
        {
            return Encoding.ASCII.GetString(name);
        }

        var text = new StringBuilder();
        foreach (byte one in name)
        {
            if (one is >= (byte)'!' and <= (byte)'~' and not (byte)'\\') text.Append((char)one);
            else text.Append($"\\x{one:x2}");
        }

        return text.ToString();
    }

    /// <summary>Hexadecimal, as the kernel writes it: without a prefix.</summary>
    public static bool TryParseHex(ReadOnlySpan<char> text, out uint value) =>
        uint.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out value);
}
