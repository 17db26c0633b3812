using System.Globalization;

namespace Spate.Cli.Shell.Terminal;

/// <summary>Formats numbers for people. JSON never uses these formats.</summary>
internal static class Units
{
    public const string NotKnown = "-";

    public static string Number(double? value, string format) =>
        value?.ToString(format, CultureInfo.InvariantCulture) ?? NotKnown;

    /// <summary>A size in the largest binary unit that divides it: 4 MiB, 212992 B.</summary>
    public static string Bytes(long bytes) => bytes switch
    {
        >= 1L << 30 when bytes % (1L << 30) == 0 => $"{bytes >> 30} GiB",
        >= 1L << 20 when bytes % (1L << 20) == 0 => $"{bytes >> 20} MiB",
        >= 1L << 10 when bytes % (1L << 10) == 0 => $"{bytes >> 10} KiB",
        _ => $"{bytes} B",
    };

    /// <summary>A whole number with separated thousands, for example 1,234,567.</summary>
    public static string Count(long? count) => count?.ToString("#,0", CultureInfo.InvariantCulture) ?? NotKnown;

    /// <summary>A rate per second. Rates below 100 may have one decimal.</summary>
    public static string PerSecond(double? rate) => Number(rate, rate < 100 ? "0.#" : "#,0");

    /// <summary>Bits a second with a decimal prefix: 5.43 Gbit/s.</summary>
    public static string BitsPerSecond(double? bitsPerSecond) => bitsPerSecond switch
    {
        null => NotKnown,
        >= 1e9 => $"{bitsPerSecond / 1e9:0.00} Gbit/s",
        >= 1e6 => $"{bitsPerSecond / 1e6:0.00} Mbit/s",
        >= 1e3 => $"{bitsPerSecond / 1e3:0.00} kbit/s",
        _ => $"{bitsPerSecond:0} bit/s",
    };
}
