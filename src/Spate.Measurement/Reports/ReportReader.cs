using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Spate.Measurement.Reports;

/// <summary>A kind of report that can be read.</summary>
/// <param name="Type">Asked for at the first report of the kind.</param>
internal sealed record ReportKind(string Name, Func<JsonTypeInfo> Type);

/// <summary>Reads reports of any version. Missing fields of the host stay unknown, never this host's.</summary>
internal sealed class ReportReader(params IReadOnlyList<ReportKind> kinds)
{
    private const int MaxQuotedCharacters = 40;

    // Made once each: the serializer builds its view of a type for every set of options.
    private readonly ConcurrentDictionary<(ReportKind Kind, bool IsWithoutCourse), JsonTypeInfo> _types = new();

    public IReadOnlyList<ReportKind> Kinds => kinds;

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>No list in it holds a null. The error is a part of a sentence, on one line.</summary>
    public bool TryRead(
        ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out Report? report, [NotNullWhen(false)] out string? error) =>
        TryRead(utf8, isWithoutCourse: false, out report, out error);

    /// <summary>Without <see cref="ReportProbe.CourseNames"/>. Too many objects are refused.</summary>
    public bool TryReadFigures(
        ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out Report? report, [NotNullWhen(false)] out string? error) =>
        TryRead(utf8, isWithoutCourse: true, out report, out error);

    private bool TryRead(
        ReadOnlySpan<byte> utf8,
        bool isWithoutCourse,
        [NotNullWhen(true)] out Report? report,
        [NotNullWhen(false)] out string? error)
    {
        if (utf8.StartsWith(ByteOrderMark)) utf8 = utf8[ByteOrderMark.Length..];

        report = null;
        var probe = ReportProbe.Of(utf8, isWithoutCourse);
        ReportKind? kind = kinds.FirstOrDefault(one => one.Name.Equals(probe.Kind, StringComparison.Ordinal));
        error = probe.Fault is not null ? probe.Fault
            : !string.Equals(probe.Schema, Report.CurrentSchema, StringComparison.Ordinal)
                ? $"the schema is {Quote(probe.Schema)}, expected \"{Report.CurrentSchema}\""
            : kind is null
                ? $"the kind is {Quote(probe.Kind)}, expected one of {string.Join(", ", kinds.Select(one => one.Name))}"
            : null;
        if (error is not null) return false;

        try
        {
            JsonTypeInfo type = _types.GetOrAdd(
                (kind!, isWithoutCourse), static key => Reading(key.Kind.Type(), key.IsWithoutCourse));
            report = (Report)JsonSerializer.Deserialize(utf8, type)!;
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

    private static JsonTypeInfo Reading(JsonTypeInfo type, bool isWithoutCourse)
    {
        var options = new JsonSerializerOptions(type.Options)
        {
            TypeInfoResolver = type.OriginatingResolver!.WithAddedModifier(isWithoutCourse ? OmitCourse : ForgetHost),
        };
        return options.GetTypeInfo(type.Type);
    }

    // A report that is made takes the kernel and the CPUs of this host. One that is read must not.
    private static void ForgetHost(JsonTypeInfo type)
    {
        if (!type.Type.IsAssignableTo(typeof(Report)) || type.CreateObject is not { } create) return;

        type.CreateObject = () =>
        {
            var report = (Report)create();
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
