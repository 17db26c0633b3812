using System.Globalization;

namespace Spate.Cli.Bench.Rounds;

/// <summary>The names of rows in comparisons.</summary>
internal static class RowText
{
    public static string At(string name, int sizeBytes) => $"{name}, {Count(sizeBytes, "byte")}";

    public static string Count(int count, string noun) =>
        string.Create(CultureInfo.InvariantCulture, $"{count} {noun}{(count == 1 ? "" : "s")}");
}
