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

/// <summary>Reads the figures of reports from files that <c>--json</c> wrote, or that a stranger wrote.</summary>
internal static class ReportFile
{
    /// <summary>256 MiB: the intervals of a day with their CPUs and threads are some 150 MB.</summary>
    public const int MaxBytes = 256 * 1024 * 1024;

    /// <summary>
    /// Without the course of the run. A pipe or a device is refused: it may never end. The error is a part of a
    /// sentence; a file that cannot be opened throws.
    /// </summary>
    public static bool TryRead(
        string path,
        ReportReader reader,
        [NotNullWhen(true)] out Report? report,
        [NotNullWhen(false)] out string? error)
    {
        report = null;
        error = FaultOf(path);
        if (error is not null) return false;

        byte[] content;
        using (FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite))
        {
            content = new byte[Math.Min(file.Length, MaxBytes)];
            file.ReadExactly(content);
        }

        return reader.TryReadFigures(content, out report, out error);
    }

    // Found before the file is opened: open(2) of a named pipe waits until another program writes to it.
    private static string? FaultOf(string path)
    {
        if (path.Length == 0) return "it has no name";

        if (Directory.Exists(path)) return "it is a directory";

        var file = new FileInfo(path);
        if (file.LinkTarget is not null) file = file.ResolveLinkTarget(returnFinalTarget: true) as FileInfo ?? file;
        if (!file.Exists) throw new FileNotFoundException("the file does not exist");

        return file.Length switch
        {
            0 => "it is empty, or it is a pipe or a device",
            > MaxBytes => $"it has more than {MaxBytes >> 20} MiB",
            _ => null,
        };
    }
}

/// <summary>The first look at a report's JSON, before anything is built from it. A missing text is null.</summary>
internal sealed record ReportProbe(string? Schema, string? Kind, string? Fault)
{
    /// <summary>An honest report has some thousands; "{}" in a list takes two bytes, but hundreds in memory.</summary>
    public const int MaxObjects = 1 << 16;

    /// <summary>The course of a run: most of a long report, and no figure comes from it.</summary>
    public static IReadOnlyList<string> CourseNames { get; } = ["intervals", "perStream", "cores"];

    /// <summary>
    /// Looks through JSON without a byte order mark. Only without the course the number of objects is bounded, since
    /// long runs have many.
    /// </summary>
    public static ReportProbe Of(ReadOnlySpan<byte> utf8, bool isWithoutCourse)
    {
        if (utf8.IsEmpty) return Wrong("it is empty");

        var reader = new Utf8JsonReader(utf8);
        try
        {
            return Read(ref reader, utf8, isWithoutCourse);
        }
        catch (JsonException fault)
        {
            return Wrong(
                $"line {fault.LineNumber + 1} is not JSON from byte {fault.BytePositionInLine + 1} on; the file is cut "
                + "short, damaged, or nested too deep");
        }
        catch (InvalidOperationException)
        {
            return Wrong($"line {LineOf(utf8, reader)} has a text that is not valid Unicode");
        }
    }

    private static ReportProbe Read(ref Utf8JsonReader reader, ReadOnlySpan<byte> utf8, bool isWithoutCourse)
    {
        (string? schema, string? kind) = (null, null);
        var isInList = new Stack<bool>();
        int objects = 0;
        while (reader.Read())
        {
            switch (reader.TokenType)
            {
                case JsonTokenType.StartObject or JsonTokenType.StartArray:
                    isInList.Push(reader.TokenType == JsonTokenType.StartArray);
                    if (isWithoutCourse && ++objects > MaxObjects)
                    {
                        return Wrong($"it has more than {MaxObjects} objects and lists");
                    }

                    break;
                case JsonTokenType.EndObject or JsonTokenType.EndArray:
                    isInList.Pop();
                    break;
                case JsonTokenType.Null when isInList.TryPeek(out bool isElement) && isElement:
                    return Wrong($"a list in line {LineOf(utf8, reader)} has an element that is null");
                case JsonTokenType.Number when !(reader.TryGetDouble(out double number) && double.IsFinite(number)):
                    return Wrong($"a number in line {LineOf(utf8, reader)} is too large");
                case JsonTokenType.PropertyName when reader.CurrentDepth == 1 && reader.ValueTextEquals("schema"u8):
                    schema = TextAfter(ref reader);
                    break;
                case JsonTokenType.PropertyName when reader.CurrentDepth == 1 && reader.ValueTextEquals("kind"u8):
                    kind = TextAfter(ref reader);
                    break;
                case JsonTokenType.PropertyName when isWithoutCourse && IsOfCourse(ref reader):
                    reader.Skip();
                    break;
            }
        }

        return new ReportProbe(schema, kind, Fault: null);
    }

    private static ReportProbe Wrong(string fault) => new(Schema: null, Kind: null, fault);

    private static bool IsOfCourse(ref Utf8JsonReader reader)
    {
        foreach (string name in CourseNames)
        {
            if (reader.ValueTextEquals(name)) return true;
        }

        return false;
    }

    // A value that is no text is left to the caller, which finds the field missing.
    private static string? TextAfter(ref Utf8JsonReader reader)
    {
        Utf8JsonReader next = reader;
        if (!next.Read() || next.TokenType != JsonTokenType.String) return null;

        reader = next;
        return reader.GetString();
    }

    private static int LineOf(ReadOnlySpan<byte> utf8, in Utf8JsonReader reader) =>
        utf8[..(int)reader.TokenStartIndex].Count((byte)'\n') + 1;
}
