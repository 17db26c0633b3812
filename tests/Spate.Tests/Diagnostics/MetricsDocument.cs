using System.Text;
using Spate.Diagnostics;

namespace Spate.Tests.Diagnostics;

/// <summary>Writes the tables of docs/build/metrics.md from the table of instruments.</summary>
internal static class MetricsDocument
{
    public const string Path = "docs/build/metrics.md";

    private const string Begin = "<!-- instruments -->";
    private const string End = "<!-- end -->";

    /// <summary>The document with its tables made anew; what stands around them is written by hand.</summary>
    public static string Renew(string document)
    {
        int begin = document.IndexOf(Begin, StringComparison.Ordinal);
        int end = document.IndexOf(End, StringComparison.Ordinal);
        if (begin < 0 || end < begin) throw new FormatException($"{Path} has lost its lines {Begin} and {End}.");
        return document[..begin] + Begin + "\n\n" + Tables() + "\n" + document[end..];
    }

    /// <summary>The name that a Prometheus exporter of OpenTelemetry's collector makes of the instrument's.</summary>
    public static string PrometheusName(MeterRow row)
    {
        string unit = row.Unit is "By" ? "_bytes" : "";
        return row.Name.Replace('.', '_') + unit + (row.GoesDown ? "" : "_total");
    }

    /// <summary>The attributes other than the name, each with its possible values.</summary>
    public static IEnumerable<(string Key, string[] Values)> AttributesOf(MeterRow row) => row.Figures
        .SelectMany(figure => figure.Tags)
        .GroupBy(tag => tag.Key, tag => (string)tag.Value!, StringComparer.Ordinal)
        .Select(group => (group.Key, group.Distinct(StringComparer.Ordinal).ToArray()));

    private static string Tables()
    {
        StringBuilder text = new("| instrument | kind | unit | attributes | in Prometheus |\n|---|---|---|---|---|\n");
        foreach (MeterRow row in MeterTable.Rows)
        {
            string kind = row.GoesDown ? "UpDownCounter" : "Counter";
            string keys = string.Join(", ", AttributesOf(row).Select(attribute => $"`{attribute.Key}`")
                .Append($"`{MeterTable.NameKey}`"));
            text.Append($"| `{row.Name}` | {kind} | `{row.Unit}` | {keys} | `{PrometheusName(row)}` |\n");
        }

        text.Append("\n| instrument | meaning |\n|---|---|\n");
        foreach (MeterRow row in MeterTable.Rows) text.Append($"| `{row.Name}` | {row.Meaning} |\n");
        text.Append("\n| attribute | values |\n|---|---|\n");
        foreach ((string key, string[] values) in MeterTable.Rows.SelectMany(AttributesOf)
            .DistinctBy(attribute => attribute.Key, StringComparer.Ordinal))
        {
            text.Append($"| `{key}` | {string.Join(", ", values.Select(value => $"`{value}`"))} |\n");
        }

        text.Append($"| `{MeterTable.NameKey}` | the name of the socket or server; absent if it has no name |\n");
        return text.ToString();
    }
}
