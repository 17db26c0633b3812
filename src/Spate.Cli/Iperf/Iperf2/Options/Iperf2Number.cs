using System.Globalization;
using System.Runtime.InteropServices;
using Spate.Cli.Shell.Getopt;

namespace Spate.Cli.Iperf.Iperf2.Options;

/// <summary>Reads numbers as iperf 2 does: small letters are powers of 1000, capital ones of 1024.</summary>
internal static class Iperf2Number
{
    private const double MaxRate = 1e15;

    /// <summary>Reads an amount: bytes, or bits a second.</summary>
    public static long ReadAmount(GetoptChoice choice, long min, long max) =>
        TryRead(choice.Text, out double value) && value >= min && value <= max
            ? (long)value
            : throw choice.Wrong(string.Create(
                CultureInfo.InvariantCulture,
                $"a number from {min} to {max}, with k, m or g for powers of 1000, K, M or G of 1024"));

    /// <summary>Reads a rate: bits a second, or datagrams a second with <c>pps</c>.</summary>
    public static Iperf2Rate ReadRate(GetoptChoice choice)
    {
        bool isDatagrams = choice.Text.EndsWith("pps", StringComparison.Ordinal);
        string number = isDatagrams ? choice.Text[..^"pps".Length] : choice.Text;
        return TryRead(number, out double value) && value <= MaxRate
            ? new Iperf2Rate(value, isDatagrams)
            : throw choice.Wrong(
                "bits a second such as 10m or 1g, datagrams a second such as 1000pps, or 0 for no limit");
    }

    private static bool TryRead(string text, out double value)
    {
        double factor = text.Length == 0 ? 0 : text[^1] switch
        {
            'k' => 1e3,
            'm' => 1e6,
            'g' => 1e9,
            'K' => 1 << 10,
            'M' => 1 << 20,
            'G' => 1 << 30,
            _ => 1,
        };
        string digits = factor > 1 ? text[..^1] : text;
        bool isNumber = double.TryParse(
            digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number);
        value = number * factor;
        return isNumber && double.IsFinite(value);
    }
}

/// <summary>The rate of a flow (-b); 0 for as fast as possible.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct Iperf2Rate(double Value, bool IsDatagrams)
{
    /// <summary>The size is of the payload alone, which is what the rate counts.</summary>
    public double DatagramsPerSecond(int sizeBytes) =>
        Value == 0 ? double.PositiveInfinity : IsDatagrams ? Value : Value / 8 / sizeBytes;
}
