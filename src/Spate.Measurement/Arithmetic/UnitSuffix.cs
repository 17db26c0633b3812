namespace Spate.Measurement.Arithmetic;

/// <summary>The letters k, m and g at the end of a number: powers of 1000, or of 1024 in sizes in bytes.</summary>
internal static class UnitSuffix
{
    public const long CountThousand = 1000;

    public const long SizeThousand = 1024;

    /// <summary>The number without the letter, and the value of the letter; 1 without one.</summary>
    public static ReadOnlySpan<char> Split(ReadOnlySpan<char> text, long thousand, out long unit)
    {
        unit = text.IsEmpty ? 1 : text[^1] switch
        {
            'k' or 'K' => thousand,
            'm' or 'M' => thousand * thousand,
            'g' or 'G' => thousand * thousand * thousand,
            _ => 1,
        };
        return unit == 1 ? text : text[..^1];
    }

    /// <summary>Removes a unit from the end of a text, in any case of its letters.</summary>
    public static bool TryTrimEnd(ref ReadOnlySpan<char> text, string unit)
    {
        if (!text.EndsWith(unit, StringComparison.OrdinalIgnoreCase)) return false;

        text = text[..^unit.Length];
        return true;
    }
}
