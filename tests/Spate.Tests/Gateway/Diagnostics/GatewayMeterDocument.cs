using System.Text;
using Spate.Gateway.Diagnostics;

namespace Spate.Tests.Gateway.Diagnostics;

/// <summary>Writes the tables of metrics in docs/gateway/operations.md from the table of instruments.</summary>
internal static class GatewayMeterDocument
{
    public const string Path = "docs/gateway/operations.md";

    private const string Begin = "<!-- instruments -->";
    private const string End = "<!-- end -->";
    private const string NameKey = "spate.name";

    /// <summary>The document with its tables made anew; what stands around them is written by hand.</summary>
    public static string Renew(string document)
    {
        int begin = document.IndexOf(Begin, StringComparison.Ordinal);
        int end = document.IndexOf(End, StringComparison.Ordinal);
        if (begin < 0 || end < begin) throw new FormatException($"{Path} has lost its lines {Begin} and {End}.");
        return document[..begin] + Begin + "\n\n" + Tables() + "\n" + document[end..];
    }

    /// <summary>The attributes of an instrument with their values, besides the name.</summary>
    public static IEnumerable<(string Key, string[] Values)> AttributesOf(GatewayMeterRow row) => row.Figures
        .SelectMany(figure => figure.Tags)
        .GroupBy(tag => tag.Key, StringComparer.Ordinal)
        .Select(tags => (tags.Key, tags.Select(tag => (string)tag.Value!).ToArray()));

    // What an exporter of OpenTelemetry's collector makes of the name.
    private static string PrometheusName(GatewayMeterRow row)
    {
        string unit = row.Unit is "By" ? "_bytes" : "";
        return row.Name.Replace('.', '_') + unit + (row.GoesDown ? "" : "_total");
    }

    private static string Tables()
    {
        StringBuilder text = new("| instrument | kind | unit | attributes | in Prometheus |\n|---|---|---|---|---|\n");
        foreach (GatewayMeterRow row in GatewayMeterTable.Rows)
        {
            string kind = row.GoesDown ? "UpDownCounter" : "Counter";
            string keys = string.Join(", ", AttributesOf(row).Select(attribute => $"`{attribute.Key}`")
                .Append($"`{NameKey}`"));
            text.Append($"| `{row.Name}` | {kind} | `{row.Unit}` | {keys} | `{PrometheusName(row)}` |\n");
        }

        text.Append("\n| instrument | meaning |\n|---|---|\n");
        foreach (GatewayMeterRow row in GatewayMeterTable.Rows) text.Append($"| `{row.Name}` | {row.Meaning} |\n");
        text.Append("\n| attribute | values |\n|---|---|\n");
        foreach ((string key, string[] values) in GatewayMeterTable.Rows.SelectMany(AttributesOf))
        {
            text.Append($"| `{key}` | {string.Join(", ", values.Select(value => $"`{value}`"))} |\n");
        }

        text.Append($"| `{NameKey}` | the name of the gateway; absent if it has none |\n");
        return text.ToString();
    }
}
