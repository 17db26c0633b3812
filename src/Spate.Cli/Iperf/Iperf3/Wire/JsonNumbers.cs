using System.Text.Json;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// Numbers of JSON as the versions of iperf3 write them: with exponents, as doubles, and -1 as the number of 64 bits
/// that has the same bits (3.12).
/// </summary>
internal static class JsonNumbers
{
    /// <summary>
    /// Bound of counts and rates: every double up to here is a whole number, 256 of them add up without overflow, and
    /// as bytes it is a day at 800 Gbit/s.
    /// </summary>
    public const long MaxCount = 1L << 53;

    // 2^64, which is what 18446744073709551615 becomes where it passed through a double.
    private const double TwoTo64 = 18_446_744_073_709_551_616.0;

    /// <summary>A whole number, as iperf3 reads it, cut to the bound; false for no finite number.</summary>
    public static bool TryReadCount(JsonElement element, out long value)
    {
        value = 0;
        if (element.ValueKind != JsonValueKind.Number) return false;

        if (element.TryGetInt64(out long whole))
        {
            value = Math.Clamp(whole, -MaxCount, MaxCount);
            return true;
        }

        if (!TryReadFinite(element, out double number)) return false;

        value = (long)Math.Clamp(number, -MaxCount, MaxCount);
        return true;
    }

    /// <summary>Reads a number in the upper half of 64 bits as the negative one with the same bits.</summary>
    public static bool TryReadSigned(JsonElement element, out long value)
    {
        if (element.ValueKind == JsonValueKind.Number && element.TryGetUInt64(out ulong bits) && bits > long.MaxValue)
        {
            value = Math.Max(-MaxCount, unchecked((long)bits));
            return true;
        }

        if (!TryReadCount(element, out value)) return false;

        if (value == MaxCount && element.GetDouble() == TwoTo64) value = -1;
        return true;
    }

    public static bool TryReadFinite(JsonElement element, out double value)
    {
        value = 0;
        return element.ValueKind == JsonValueKind.Number && element.TryGetDouble(out value) && double.IsFinite(value);
    }
}
