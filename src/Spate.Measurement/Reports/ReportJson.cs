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
using Spate.Measurement.Checks;
using Spate.Measurement.Comparing;
using Spate.Measurement.Gateway;
using Spate.Measurement.Info;
using Spate.Measurement.Planning;
using Spate.Measurement.Serving;
using Spate.Measurement.Testing;
using Spate.Measurement.Traffic;
using Spate.Measurement.Tuning;
using Spate.Measurement.Watching;

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

    private static readonly JsonSerializerOptions ReadingAll = Reading(ForgetHost);

    private static readonly JsonSerializerOptions ReadingFigures = Reading(OmitCourse);

    private static readonly OrderedDictionary<string, Type> Types = new(StringComparer.Ordinal)
    {
        [InfoReport.KindName] = typeof(InfoReport),
        [TrafficReport.SendKind] = typeof(TrafficReport),
        [TrafficReport.ReceiveKind] = typeof(TrafficReport),
        [TestReport.KindName] = typeof(TestReport),
        [ServeReport.KindName] = typeof(ServeReport),
        [GatewayReport.KindName] = typeof(GatewayReport),
        [GatewayReadReport.KindName] = typeof(GatewayReadReport),
        [BenchReport.KindName] = typeof(BenchReport),
        [DrainReport.KindName] = typeof(DrainReport),
        [DesignsReport.KindName] = typeof(DesignsReport),
        [PingPongReport.KindName] = typeof(PingPongReport),
        [RelayReport.KindName] = typeof(RelayReport),
        [SessionsReport.KindName] = typeof(SessionsReport),
        [SocketsReport.KindName] = typeof(SocketsReport),
        [SweepReport.KindName] = typeof(SweepReport),
        [CompareReport.KindName] = typeof(CompareReport),
        [PlanReport.KindName] = typeof(PlanReport),
        [DoctorReport.KindName] = typeof(DoctorReport),
        [TuneReport.KindName] = typeof(TuneReport),
        [WatchReport.KindName] = typeof(WatchReport),
    };

    /// <summary>Every kind of report, with its type.</summary>
    internal static IReadOnlyDictionary<string, Type> Kinds => Types;

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

    /// <summary>
    /// Reads a report that this or another version wrote. Unknown fields are ignored. Fields of the host that are
    /// missing are not known (<see cref="MeasurementReport.Cpus"/> 0): they never become those of this host.
    /// </summary>
    /// <param name="utf8">The whole JSON text.</param>
    /// <param name="report">The report, of the type that belongs to its kind. No list in it holds a null.</param>
    /// <param name="error">
    /// What was wrong and what was expected, on one line and as a part of a sentence; null on success.
    /// </param>
    public static bool TryRead(
        ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out Report? report, [NotNullWhen(false)] out string? error) =>
        TryRead(utf8, isWithoutCourse: false, out report, out error);

    /// <summary>
    /// Reads a report as <see cref="TryRead(ReadOnlySpan{byte}, out Report?, out string?)"/> does, without the lists
    /// that take most of its memory: intervals, streams and CPUs. A text that holds unreasonably many other objects is
    /// refused.
    /// </summary>
    /// <param name="utf8">The whole JSON text.</param>
    /// <param name="report">The report; those lists are empty.</param>
    /// <param name="error">What was wrong and what was expected; null on success.</param>
    public static bool TryReadFigures(
        ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out Report? report, [NotNullWhen(false)] out string? error) =>
        TryRead(utf8, isWithoutCourse: true, out report, out error);

    private static bool TryRead(
        ReadOnlySpan<byte> utf8,
        bool isWithoutCourse,
        [NotNullWhen(true)] out Report? report,
        [NotNullWhen(false)] out string? error)
    {
        if (utf8.StartsWith(ByteOrderMark)) utf8 = utf8[ByteOrderMark.Length..];

        report = null;
        var probe = ReportProbe.Of(utf8, isWithoutCourse);
        Type? type = probe.Kind is null ? null : Types.GetValueOrDefault(probe.Kind);
        error = probe.Fault is not null ? probe.Fault
            : !string.Equals(probe.Schema, Report.CurrentSchema, StringComparison.Ordinal)
                ? $"the schema is {Quote(probe.Schema)}, expected \"{Report.CurrentSchema}\""
            : type is null
                ? $"the kind is {Quote(probe.Kind)}, expected one of {string.Join(", ", Types.Keys)}"
            : null;
        if (error is not null) return false;

        try
        {
            JsonSerializerOptions options = isWithoutCourse ? ReadingFigures : ReadingAll;
            report = (Report)JsonSerializer.Deserialize(utf8, options.GetTypeInfo(type!))!;
            return true;
        }
        catch (JsonException fault)
        {
            error = $"field {Quote(fault.Path)} in line {fault.LineNumber + 1} is of another type than in a report "
                + $"of kind {probe.Kind}, or lacks a part";
            return false;
        }
        catch (InvalidOperationException)
        {
            error = "a text in it is not valid Unicode";
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

    private static JsonSerializerOptions Reading(Action<JsonTypeInfo> change) => new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        RespectNullableAnnotations = true,
        TypeInfoResolver = ReportJsonContext.Default.WithAddedModifier(change),
    };

    // A report that is made takes the kernel and the CPUs of this host. One that is read must not.
    private static void ForgetHost(JsonTypeInfo type)
    {
        if (!type.Type.IsAssignableTo(typeof(MeasurementReport)) || type.CreateObject is not { } create) return;

        type.CreateObject = () =>
        {
            var report = (MeasurementReport)create();
            report.ForgetHost();
            return report;
        };
    }

    private static void OmitCourse(JsonTypeInfo type)
    {
        ForgetHost(type);
        if (type.Kind != JsonTypeInfoKind.Object) return;

        for (int i = type.Properties.Count - 1; i >= 0; i--)
        {
            if (ReportProbe.CourseNames.Contains(type.Properties[i].Name, StringComparer.Ordinal))
            {
                type.Properties.RemoveAt(i);
            }
        }
    }

    private static string Quote(string? text) =>
        text is null ? "missing" : PrintableText.Quote(text, MaxQuotedCharacters);
}
