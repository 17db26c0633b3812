using System.Globalization;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>Names what would help against loss by the options of iperf3, where a verdict has those of a test.</summary>
internal static class RemedyText
{
    private const int BitsPerByte = 8;

    private const string SpateThere = "spate iperf3 at the other end too";

    public static TestDirectionReport InOptionsOfIperf3(
        TestDirectionReport account, Iperf3Parameters parameters, bool isExact)
    {
        if (account is { Remedy: null, Unexplained: > 0 } && !isExact)
        {
            account.Remedy = SpateThere;
            account.Verdict = $"{account.Verdict.TrimEnd('.')}: {SpateThere}";
            return account;
        }

        if (account.Remedy is not { } remedy || Translate(remedy, parameters) is not { } translated) return account;

        account.Verdict = account.Verdict.Replace(remedy, translated, StringComparison.Ordinal);
        account.Remedy = translated;
        return account;
    }

    private static string? Translate(string remedy, Iperf3Parameters parameters)
    {
        string[] words = remedy.Split(' ');
        return words switch
        {
            ["--size", "mtu"] => "a smaller -l, such as -l 1400",
            ["--size", var bytes] => $"-l {bytes}",
            ["--buffer" or "--remote-buffer", var bytes] => $"-w {bytes}",
            ["--cpu" or "--remote-cpu", _] => "-A N,M with the number of a free CPU at either end",
            ["--rate", var rate] when long.TryParse(rate, CultureInfo.InvariantCulture, out long datagrams) =>
                $"-b {BitsPerSecond(datagrams, parameters).ToString("F0", CultureInfo.InvariantCulture)}",
            _ => null,
        };
    }

    // The rate of a verdict is that of all streams together, -b that of each.
    private static double BitsPerSecond(long datagrams, Iperf3Parameters parameters) =>
        Math.Floor((double)datagrams * BitsPerByte * parameters.LengthBytes / parameters.StreamCount);
}
