using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.Bench.Designs;
using Spate.Measurement.Bench.Drain;
using Spate.Measurement.Bench.PingPong;
using Spate.Measurement.Bench.Relay;
using Spate.Measurement.Bench.Sessions;
using Spate.Measurement.Bench.Sockets;
using Spate.Measurement.Bench.Sweep;
using Spate.Measurement.Bench.Throughput;
using Spate.Measurement.Comparing;
using Spate.Measurement.Info;
using Spate.Measurement.Planning;
using Spate.Measurement.Serving;
using Spate.Measurement.Testing;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.Reports;

/// <summary>
/// Writes and reads reports as JSON: camelCase, units in the names, versioned by <see cref="Report.Schema"/>.
/// </summary>
public static class ReportJson
{
    private const int MaxQuotedCharacters = 40;

    private static readonly ReportJsonContext Compact = new(new JsonSerializerOptions
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        RespectNullableAnnotations = true,
    });

    private static readonly OrderedDictionary<string, JsonTypeInfo> Types = new(StringComparer.Ordinal)
    {
        [InfoReport.KindName] = ReportJsonContext.Default.InfoReport,
        [TrafficReport.SendKind] = ReportJsonContext.Default.TrafficReport,
        [TrafficReport.ReceiveKind] = ReportJsonContext.Default.TrafficReport,
        [TestReport.KindName] = ReportJsonContext.Default.TestReport,
        [ServeReport.KindName] = ReportJsonContext.Default.ServeReport,
        [BenchReport.KindName] = ReportJsonContext.Default.BenchReport,
        [DrainReport.KindName] = ReportJsonContext.Default.DrainReport,
        [DesignsReport.KindName] = ReportJsonContext.Default.DesignsReport,
        [PingPongReport.KindName] = ReportJsonContext.Default.PingPongReport,
        [RelayReport.KindName] = ReportJsonContext.Default.RelayReport,
        [SessionsReport.KindName] = ReportJsonContext.Default.SessionsReport,
        [SocketsReport.KindName] = ReportJsonContext.Default.SocketsReport,
        [SweepReport.KindName] = ReportJsonContext.Default.SweepReport,
        [CompareReport.KindName] = ReportJsonContext.Default.CompareReport,
        [PlanReport.KindName] = ReportJsonContext.Default.PlanReport,
    };

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>The report as JSON text.</summary>
    /// <param name="report">One of this library's reports; every number in it finite.</param>
    /// <param name="indented">True for people (the default), false for a single line.</param>
    public static string Serialize(Report report, bool indented = true) =>
        JsonSerializer.Serialize(report, TypeOf(report, indented));

    /// <summary>Writes the report as UTF-8 JSON, ended by a line feed. The stream stays open.</summary>
    /// <param name="utf8">The stream to write to.</param>
    /// <param name="report">One of this library's reports; every number in it finite.</param>
    /// <param name="indented">True for people (the default), false for a single line.</param>
    public static void Write(Stream utf8, Report report, bool indented = true)
    {
        JsonSerializer.Serialize(utf8, report, TypeOf(report, indented));
        utf8.WriteByte((byte)'\n');
    }

    /// <summary>Reads a report that this or another version wrote; unknown fields are ignored.</summary>
    /// <param name="utf8">The whole JSON text.</param>
    /// <param name="report">The report, of the type that belongs to its kind.</param>
    /// <param name="error">One line that says what was wrong and what was expected; null on success.</param>
    public static bool TryRead(
        ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out Report? report, [NotNullWhen(false)] out string? error)
    {
        report = null;
        try
        {
            var reader = new Utf8JsonReader(utf8.StartsWith(ByteOrderMark) ? utf8[ByteOrderMark.Length..] : utf8);
            using JsonDocument document = JsonDocument.ParseValue(ref reader);
            reader.Read(); // throws if anything follows
            string? schema = TextOf(document, "schema");
            if (!string.Equals(schema, Report.CurrentSchema, StringComparison.Ordinal))
            {
                error = $"The schema is {Quote(schema)}, expected \"{Report.CurrentSchema}\".";
                return false;
            }

            string? kind = TextOf(document, "kind");
            JsonTypeInfo? type = TypeOf(kind);
            if (type is null)
            {
                error = $"The kind is {Quote(kind)}, expected one of {string.Join(", ", Types.Keys)}.";
                return false;
            }

            report = (Report)document.Deserialize(type)!;
            error = null;
            return true;
        }
        catch (JsonException e)
        {
            error = $"The report is not valid JSON of this kind: see line {e.LineNumber + 1}, field {Quote(e.Path)}.";
            return false;
        }
        catch (InvalidOperationException)
        {
            error = "The report is not valid: a text in it is not valid Unicode.";
            return false;
        }
    }

    /// <summary>The report as its JSON shows it.</summary>
    internal static JsonElement ToElement(Report report) =>
        JsonSerializer.SerializeToElement(report, TypeOf(report, indented: false));

    /// <summary>What the serializer knows of a type of report.</summary>
    /// <exception cref="ArgumentException">The type is not one that is written.</exception>
    internal static JsonTypeInfo TypeOf(Type reportType) => TypeOf(Compact, reportType, nameof(reportType));

    private static JsonTypeInfo TypeOf(Report report, bool indented) =>
        TypeOf(indented ? ReportJsonContext.Default : Compact, report.GetType(), nameof(report));

    private static JsonTypeInfo TypeOf(ReportJsonContext context, Type type, string parameterName) =>
        context.GetTypeInfo(type)
        ?? throw new ArgumentException("The report is not of a type that can be written.", parameterName);

    private static JsonTypeInfo? TypeOf(string? kind) =>
        kind is null ? null : Types.GetValueOrDefault(kind);

    private static string? TextOf(JsonDocument document, string name) =>
        document.RootElement.ValueKind == JsonValueKind.Object
        && document.RootElement.TryGetProperty(name, out JsonElement value)
        && value.ValueKind == JsonValueKind.String
            ? value.GetString()
            : null;

    private static string Quote(string? text) =>
        text is null ? "missing" : PrintableText.Quote(text, MaxQuotedCharacters);
}
