using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Spate.Measurement.Reports;

/// <summary>Writes JSON in camelCase, with units in the names, versioned by <see cref="Report.Schema"/>.</summary>
internal static class ReportJson
{
    /// <summary>The report, every number in it finite, as JSON text: for people, or as a single line.</summary>
    public static string Serialize(Report report, bool indented = true)
    {
        using var text = new MemoryStream();
        Serialize(text, report, indented);
        return Encoding.UTF8.GetString(text.GetBuffer(), 0, (int)text.Length);
    }

    /// <summary>Writes the report as UTF-8 JSON, ended by a line feed. The stream stays open.</summary>
    public static void Write(Stream utf8, Report report, bool indented = true)
    {
        Serialize(utf8, report, indented);
        utf8.WriteByte((byte)'\n');
    }

    public static JsonElement ToElement(Report report) => JsonSerializer.SerializeToElement(report, report.JsonType);

    // The writer decides about the lines, whatever the options of the type say.
    private static void Serialize(Stream utf8, Report report, bool indented)
    {
        JsonTypeInfo type = report.JsonType;
        using var writer = new Utf8JsonWriter(utf8, new JsonWriterOptions
        {
            Encoder = type.Options.Encoder,
            Indented = indented,
            NewLine = "\n",
        });
        JsonSerializer.Serialize(writer, report, type);
    }
}
