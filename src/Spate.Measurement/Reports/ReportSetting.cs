using System.Globalization;

namespace Spate.Measurement.Reports;

/// <summary>Where and how the figures of a report were taken.</summary>
/// <param name="MustBeAlike">Whether figures of different values are of different things.</param>
internal sealed record ReportSetting(string Name, string Value, bool MustBeAlike = false)
{
    private const string NotKnown = "-";

    public static ReportSetting Of(string name, string? value) => new(name, value ?? NotKnown);

    public static ReportSetting Of(string name, bool value) => new(name, value ? "yes" : "no");

    public static ReportSetting Of(string name, IFormattable? number) => new(name, Text(number));

    public static ReportSetting Of(string name, IEnumerable<string> words) =>
        new(name, string.Join(", ", words) is { Length: > 0 } list ? list : NotKnown);

    public static string Text(IFormattable? number) =>
        number?.ToString(format: null, CultureInfo.InvariantCulture) ?? NotKnown;
}
