using System.Text.Json;

namespace Spate.Measurement.Reports;

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

    /// <summary>Reading it would take many times its memory; a JsonException where it is no JSON.</summary>
    public static bool HasTooManyObjects(ReadOnlySpan<byte> utf8)
    {
        var reader = new Utf8JsonReader(utf8);
        int count = 0;
        while (count <= MaxObjects && reader.Read())
        {
            if (reader.TokenType is JsonTokenType.StartObject or JsonTokenType.StartArray) count++;
        }

        return count > MaxObjects;
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
