using System.Globalization;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Shell.Options;

/// <summary>The rate to send at: datagrams a second, payload bits a second, or as fast as possible.</summary>
internal readonly record struct Rate
{
    public const string Expected = "datagrams a second from 1 to 1G such as 200k, payload bits such as 5Gbit, or max";

    /// <summary>The highest rate that is paced: far more than one machine can send.</summary>
    public const double MaxDatagramsPerSecond = 1e9;

    private const double MaxBitsPerSecond = 1e13;

    private Rate(double? datagramsPerSecond, double? bitsPerSecond)
    {
        DatagramsPerSecond = datagramsPerSecond;
        BitsPerSecond = bitsPerSecond;
    }

    public static Rate Maximum { get; }

    public bool IsMaximum => DatagramsPerSecond is null && BitsPerSecond is null;

    public double? DatagramsPerSecond { get; }

    public double? BitsPerSecond { get; }

    public static Rate OfDatagrams(double datagramsPerSecond) => new(datagramsPerSecond, bitsPerSecond: null);

    public double? ForSize(int sizeBytes) =>
        BitsPerSecond is { } bits ? bits / (sizeBytes * 8.0) : DatagramsPerSecond;

    public static bool TryParse(string text, out Rate rate)
    {
        rate = Maximum;
        if (text.Equals("max", StringComparison.OrdinalIgnoreCase)) return true;

        ReadOnlySpan<char> number = text;
        bool isBits = UnitSuffix.TryTrimEnd(ref number, "bit/s") || UnitSuffix.TryTrimEnd(ref number, "bit");
        if (!TryParseNumber(number, out double value) || value <= 0
            || value > (isBits ? MaxBitsPerSecond : MaxDatagramsPerSecond))
        {
            return false;
        }

        rate = isBits ? new Rate(datagramsPerSecond: null, value) : OfDatagrams(value);
        return true;
    }

    private static bool TryParseNumber(ReadOnlySpan<char> text, out double value)
    {
        ReadOnlySpan<char> digits = UnitSuffix.Split(text, UnitSuffix.CountThousand, out long unit);
        bool isNumber = double.TryParse(
            digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out value);
        value *= unit;
        return isNumber && double.IsFinite(value);
    }
}
