using System.Globalization;

namespace Spate.HostTuning.Reading.Files;

/// <summary>Hexadecimal numbers as the kernel writes them: without a prefix.</summary>
internal static class HexText
{
    public static bool TryParse(ReadOnlySpan<char> text, out uint value) =>
        uint.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out value);
}
