using System.Globalization;

namespace Spate.Cli.Options;

/// <summary>Sizes in bytes: plain numbers, or with k, m or g for 1024, 1024² and 1024³.</summary>
internal static class SizeText
{
    public static bool TryParse(string text, out long bytes)
    {
        bytes = 0;
        int shift = text.Length == 0 ? 0 : text[^1] switch
        {
            'k' or 'K' => 10,
            'm' or 'M' => 20,
            'g' or 'G' => 30,
            _ => 0,
        };
        ReadOnlySpan<char> digits = shift == 0 ? text : text.AsSpan(0, text.Length - 1);
        if (!long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            || number > long.MaxValue >> shift)
        {
            return false;
        }

        bytes = number << shift;
        return true;
    }
}
