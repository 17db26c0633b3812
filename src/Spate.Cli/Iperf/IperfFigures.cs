using System.Globalization;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Iperf;

/// <summary>Writes figures as iperf 2 and iperf3 do, with three significant digits and a unit that fits.</summary>
internal static class IperfFigures
{
    private const double BitThousand = 1000;
    private const double ByteThousand = 1024;
    private const int BitsPerByte = 8;

    private static readonly string[] Prefixes = ["", "K", "M", "G", "T"];

    /// <summary>An amount of bytes: <c>1.19 MBytes</c>.</summary>
    public static string Amount(double bytes) => Fitting(bytes, ByteThousand, "Bytes");

    /// <summary>A rate, of bytes a second: <c>9.94 Mbits/sec</c>.</summary>
    /// <param name="format">A letter of <c>kmgt</c> for bits, of <c>KMGT</c> for bytes; others for what fits.</param>
    public static string Rate(double bytesPerSecond, char format)
    {
        int power = "akmgt".IndexOf(char.ToLowerInvariant(format), StringComparison.Ordinal);
        string text = power < 1 ? Fitting(bytesPerSecond * BitsPerByte, BitThousand, "bits")
            : char.IsUpper(format) ? Fixed(bytesPerSecond, ByteThousand, power, "Bytes")
            : Fixed(bytesPerSecond * BitsPerByte, BitThousand, power, "bits");
        return text + "/sec";
    }

    /// <summary>An amount, and its rate over a time: <c>1.19 MBytes  9.94 Mbits/sec</c>.</summary>
    public static string Transfer(long bytes, double seconds, char format) =>
        $"{Amount(bytes)}  {Rate(Statistics.Ratio(bytes, seconds), format)}";

    /// <summary>The loss, and its share of all: <c>3/1200 (0.25%)</c>.</summary>
    public static string Loss(long lost, long total) =>
        $"{lost}/{total} ({LossPercent(lost, total)}%)";

    public static string LossPercent(long lost, long total) => Percent(Statistics.Ratio(100.0 * lost, total));

    /// <summary>A share in percent with two significant digits, as %.2g of printf(3) writes it.</summary>
    public static string Percent(double value) => value.ToString("g2", CultureInfo.InvariantCulture);

    private static string Fitting(double value, double thousand, string unit)
    {
        int power = 0;
        for (double rest = value; rest >= thousand && power < Prefixes.Length - 1; rest /= thousand) power++;

        return Fixed(value, thousand, power, unit);
    }

    private static string Fixed(double value, double thousand, int power, string unit)
    {
        double scaled = value / Math.Pow(thousand, power);

        // The limits are those at which one digit more would be rounded up to the next length.
        string digits = scaled switch
        {
            < 9.995 => "0.00",
            < 99.95 => "0.0",
            _ => "0",
        };
        return $"{scaled.ToString(digits, CultureInfo.InvariantCulture),4} {Prefixes[power]}{unit}";
    }
}
