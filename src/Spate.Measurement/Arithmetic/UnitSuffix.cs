namespace Spate.Measurement.Arithmetic;

/// <summary>
/// The letters k, m and g at the end of a number that people write: the first, second and third power of a thousand. A
/// thousand is 1000 in numbers of things and 1024 in sizes in bytes.
/// </summary>
internal static class UnitSuffix
{
    /// <summary>The value of k in numbers of things.</summary>
    public const long CountThousand = 1000;

    /// <summary>The value of k in sizes in bytes.</summary>
    public const long SizeThousand = 1024;

    /// <summary>Removes the letter from the end of a number.</summary>
    /// <param name="text">The number as it was written.</param>
    /// <param name="thousand">The value of k: 1000 or 1024.</param>
    /// <param name="unit">The value of the letter; 1 without a letter.</param>
    /// <returns>The number without the letter.</returns>
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
    /// <param name="text">The text; without the unit after the call.</param>
    /// <param name="unit">The unit, for example <c>bit</c>.</param>
    /// <returns>Whether the text ended with the unit.</returns>
    public static bool TryTrimEnd(ref ReadOnlySpan<char> text, string unit)
    {
        if (!text.EndsWith(unit, StringComparison.OrdinalIgnoreCase)) return false;

        text = text[..^unit.Length];
        return true;
    }
}
